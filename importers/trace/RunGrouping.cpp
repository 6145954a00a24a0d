#include "importers/trace/RunGrouping.h"

#include "importers/trace/TraceName.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trainscope::importers {

namespace {

using Group = std::vector<TraceFile*>;

// A trace file with the unit it becomes.
struct Assignment {
    std::string runName;
    std::optional<int> rank;
    bool enabled = true;
    std::vector<std::string> notes;
};
using Assignments = std::map<const TraceFile*, Assignment>;

// False where one of them is taken.
bool takeRanks(const TraceFile& file, int first, std::set<int>& taken) {
    bool isFree = true;
    for (int rank = first; rank < first + file.facts.ranks; ++rank)
        isFree = taken.insert(rank).second && isFree;
    return isFree;
}

bool haveDistinctRanks(const Group& group) {
    std::set<int> ranks;
    return std::all_of(group.begin(), group.end(),
        [&](const TraceFile* file) { return file->rank && takeRanks(*file, *file->rank, ranks); });
}

bool haveOneWorldSize(const Group& group) {
    return std::all_of(group.begin(), group.end(), [&](const TraceFile* file) {
        return file->facts.worldSize == group.front()->facts.worldSize;
    });
}

bool haveOnePattern(const Group& group) {
    return std::all_of(group.begin(), group.end(),
        [&](const TraceFile* file) { return file->pattern == group.front()->pattern; });
}

// Ranks of a world that all of them name, on the same kind of GPU: host names may then differ.
bool nameOneWorld(const Group& group) {
    const TraceFacts& first = group.front()->facts;
    return first.worldSize >= static_cast<int>(group.size())
        && std::all_of(group.begin(), group.end(), [&](const TraceFile* file) {
               const TraceFacts& facts = file->facts;
               return facts.rank && *facts.rank < facts.worldSize
                   && facts.gpuModel == first.gpuModel;
           });
}

bool areRankless(const Group& group) {
    return std::none_of(
        group.begin(), group.end(), [](const TraceFile* file) { return file->rank.has_value(); });
}

bool startTogether(const Group& group) {
    constexpr std::int64_t kTenMinutes = 600'000'000'000;
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (const TraceFile* file : group) {
        if (!file->facts.firstNs)
            return false;
        const std::int64_t start = *file->facts.firstNs;
        first = file == group.front() ? start : std::min(first, start);
        last = file == group.front() ? start : std::max(last, start);
    }
    return last - first < kTenMinutes;
}

bool isOneRun(const Group& group) {
    if (group.size() == 1)
        return true;
    if (haveDistinctRanks(group))
        return haveOneWorldSize(group) && (haveOnePattern(group) || nameOneWorld(group));
    return areRankless(group) && haveOnePattern(group) && startTogether(group);
}

bool areFree(const std::set<int>& taken, int first, int count) {
    const auto next = taken.lower_bound(first);
    return next == taken.end() || *next >= first + count;
}

void giveFreeRanks(const Group& group, Assignments& assignments) {
    std::set<int> taken;
    for (const TraceFile* file : group) {
        assignments[file].rank = file->rank;
        if (file->rank)
            takeRanks(*file, *file->rank, taken);
    }
    int next = 0;
    for (const TraceFile* file : group) {
        if (file->rank)
            continue;
        while (!areFree(taken, next, file->facts.ranks))
            ++next;
        takeRanks(*file, next, taken);
        assignments[file].rank = next;
        assignments[file].notes.emplace_back(
            "Neither the trace nor its name says the rank: it is a guess.");
    }
}

void nameRun(const Group& group, const std::string& name, Assignments& assignments) {
    for (const TraceFile* file : group)
        assignments[file].runName = name;
    giveFreeRanks(group, assignments);
}

std::string below(const std::string& folder, std::string_view name) {
    return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

void nameByFile(const Group& group, Assignments& assignments) {
    std::map<std::string, int> uses;
    for (const TraceFile* file : group)
        ++uses[std::string(traceStem(file->file.path))];
    for (TraceFile* file : group) {
        const std::string stem(traceStem(file->file.path));
        const std::string folder(folderPart(file->file.path));
        nameRun(
            {file}, below(folder, uses[stem] > 1 ? namePart(file->file.path) : stem), assignments);
    }
}

// A folder whose files are not all of one run: those with the same name pattern may still be.
void splitFolder(const Group& group, Assignments& assignments) {
    std::map<std::pair<std::string, int>, Group> byPattern;
    for (TraceFile* file : group)
        byPattern[{file->pattern, file->facts.worldSize}].push_back(file);
    for (const auto& [key, part] : byPattern) {
        if (part.size() == 1 || !isOneRun(part)) {
            nameByFile(part, assignments);
            continue;
        }
        const TraceFile* first = part.front();
        nameRun(
            part, below(first->folder, stemWithoutRank(traceStem(first->file.path))), assignments);
    }
}

// All traces of a run folder are its ranks; of two for one rank the later one counts.
void joinRunFolder(const Group& group, const RunFolders& folders, const std::string& folder,
    Assignments& assignments) {
    Group current;
    for (TraceFile* file : group) {
        Assignment& assignment = assignments[file];
        assignment.enabled = !folders.isSuperseded(file->file.path);
        if (assignment.enabled) {
            current.push_back(file);
            continue;
        }
        assignment.runName = folders.nameOf(folder);
        assignment.rank = file->rank;
        assignment.notes.emplace_back(
            "Left out: a folder with a higher number holds the traces of this run.");
    }
    if (current.empty())
        return;
    nameRun(current, folders.nameOf(folder), assignments);
    std::map<int, const TraceFile*> latest;
    for (const TraceFile* file : current) {
        const auto [found, isNew] = latest.try_emplace(*assignments[file].rank, file);
        if (isNew)
            continue;
        assignments[found->second].enabled = false;
        assignments[found->second].notes.emplace_back(
            "Left out: another trace of this rank lies beside it.");
        found->second = file;
    }
}

void nameFolder(const SourceTree& tree, const RunFolders& folders, const Group& group,
    Assignments& assignments) {
    const std::string& folder = group.front()->folder;
    if (!isOneRun(group)) {
        splitFolder(group, assignments);
        return;
    }
    const bool isSingleFile = tree.files().size() == 1;
    nameRun(group,
        isSingleFile ? std::string(traceStem(group.front()->file.path)) : folders.nameOf(folder),
        assignments);
}

std::string rankText(const TraceFile& file, int first) {
    const int count = file.facts.ranks;
    std::string text = count > 1
        ? "ranks " + std::to_string(first) + " to " + std::to_string(first + count - 1)
        : "rank " + std::to_string(first);
    if (file.facts.worldSize > 0)
        text += " of " + std::to_string(file.facts.worldSize);
    return text;
}

ImportUnit traceUnitOf(const SourceTree& tree, const TraceFile& file, Assignment assignment) {
    const TraceFacts& facts = file.facts;
    ImportUnit unit;
    unit.path = file.file.path;
    unit.files = file.files.empty() ? std::vector{file.file.path} : file.files;
    for (const std::string& path : unit.files)
        unit.bytes += tree.sizeOf(path);
    unit.runName = std::move(assignment.runName);
    unit.rank = assignment.rank;
    unit.worldSize = facts.worldSize;
    unit.enabled = assignment.enabled;
    unit.notes = std::move(assignment.notes);
    unit.notes.insert(unit.notes.end(), facts.notes.begin(), facts.notes.end());
    unit.summary = facts.kind + ", " + rankText(file, assignment.rank.value_or(0));
    unit.gpuModel = facts.gpuModel;
    if (!unit.gpuModel.empty())
        unit.summary += ", " + unit.gpuModel;
    unit.gpusPerNode = facts.gpusPerNode;
    unit.start = facts.start;
    unit.utcOffsetSeconds = facts.utcOffsetSeconds;
    if (!facts.problem.empty())
        unit.notes.push_back(facts.problem);
    return unit;
}

} // namespace

std::optional<int> rankOfPath(std::string_view path) {
    if (const auto named = rankInStem(traceStem(path)))
        return named->rank;
    return rankOfFolder(namePart(folderPart(path)));
}

TraceFile traceFileOf(SourceFile file, TraceFacts facts) {
    TraceFile result;
    result.file = std::move(file);
    result.facts = std::move(facts);
    const std::string& path = result.file.path;
    const std::string_view stem = traceStem(path);
    const std::string_view parent = folderPart(path);
    result.rank = result.facts.rank ? result.facts.rank : rankOfPath(path);
    result.folder = rankOfFolder(namePart(parent)) ? folderPart(parent) : parent;
    result.pattern = stemPattern(stem);
    return result;
}

std::vector<ImportUnit> groupIntoRuns(
    const SourceTree& tree, const RunFolders& folders, std::vector<TraceFile> files) {
    std::sort(files.begin(), files.end(),
        [](const TraceFile& a, const TraceFile& b) { return a.file.path < b.file.path; });
    std::map<std::string, Group> byRunFolder;
    std::map<std::string, Group> byFolder;
    for (TraceFile& file : files) {
        if (const auto folder = folders.folderOf(file.file.path))
            byRunFolder[*folder].push_back(&file);
        else
            byFolder[file.folder].push_back(&file);
    }
    Assignments assignments;
    for (const auto& [folder, group] : byRunFolder)
        joinRunFolder(group, folders, folder, assignments);
    for (const auto& [folder, group] : byFolder)
        nameFolder(tree, folders, group, assignments);
    std::vector<ImportUnit> units;
    units.reserve(files.size());
    for (const TraceFile& file : files)
        units.push_back(traceUnitOf(tree, file, std::move(assignments[&file])));
    return units;
}

} // namespace trainscope::importers
