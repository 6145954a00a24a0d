#include "importers/kineto/RunGrouping.h"

#include "importers/kineto/TraceName.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trainscope::importers::kineto {

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

bool haveDistinctRanks(const Group& group) {
    std::set<int> ranks;
    return std::all_of(group.begin(), group.end(),
        [&](const TraceFile* file) { return file->rank && ranks.insert(*file->rank).second; });
}

bool haveOneWorldSize(const Group& group) {
    return std::all_of(group.begin(), group.end(), [&](const TraceFile* file) {
        return file->probe.header.worldSize == group.front()->probe.header.worldSize;
    });
}

bool haveOnePattern(const Group& group) {
    return std::all_of(group.begin(), group.end(),
        [&](const TraceFile* file) { return file->pattern == group.front()->pattern; });
}

// Ranks of a world that all of them name, on the same kind of GPU: host names may then differ.
bool nameOneWorld(const Group& group) {
    const TraceHeader& first = group.front()->probe.header;
    return first.worldSize >= static_cast<int>(group.size())
        && std::all_of(group.begin(), group.end(), [&](const TraceFile* file) {
               const TraceHeader& header = file->probe.header;
               return header.rank && *header.rank < header.worldSize
                   && header.deviceName(0) == first.deviceName(0);
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
        if (!file->probe.firstNs)
            return false;
        const std::int64_t start = *file->probe.firstNs;
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

void giveFreeRanks(const Group& group, Assignments& assignments) {
    std::set<int> taken;
    for (const TraceFile* file : group) {
        assignments[file].rank = file->rank;
        if (file->rank)
            taken.insert(*file->rank);
    }
    int next = 0;
    for (const TraceFile* file : group) {
        if (file->rank)
            continue;
        while (taken.contains(next))
            ++next;
        taken.insert(next);
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
        byPattern[{file->pattern, file->probe.header.worldSize}].push_back(file);
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

// Absent where the head does not say what its times count from.
std::optional<TimeNs> startOf(const TraceProbe& probe) {
    if (!probe.firstNs)
        return std::nullopt;
    if (isAbsolute(TimeNs{*probe.firstNs}))
        return TimeNs{*probe.firstNs};
    if (!probe.header.baseNs)
        return std::nullopt;
    return TimeNs{*probe.header.baseNs + *probe.firstNs};
}

ImportUnit unitOf(const TraceFile& file, Assignment assignment) {
    ImportUnit unit;
    unit.path = file.file.path;
    unit.files = {file.file.path};
    unit.bytes = file.file.size;
    unit.runName = std::move(assignment.runName);
    unit.rank = assignment.rank;
    unit.worldSize = file.probe.header.worldSize;
    unit.enabled = assignment.enabled;
    unit.notes = std::move(assignment.notes);
    unit.summary = "kernel trace, rank " + std::to_string(assignment.rank.value_or(0));
    if (unit.worldSize > 0)
        unit.summary += " of " + std::to_string(unit.worldSize);
    unit.gpuModel = file.probe.header.deviceName(0);
    if (!unit.gpuModel.empty())
        unit.summary += ", " + unit.gpuModel;
    const auto visible = static_cast<int>(file.probe.header.deviceNames.size());
    unit.gpusPerNode = visible > 1 ? visible : 0;
    unit.start = startOf(file.probe);
    if (!file.probe.problem.empty())
        unit.notes.push_back(file.probe.problem);
    return unit;
}

} // namespace

TraceFile describeTrace(const SourceTree& tree, const SourceFile& file) {
    TraceFile result;
    result.file = file;
    result.probe = probeTrace(tree, file.path, ProbeDepth::Head);
    const std::string_view stem = traceStem(file.path);
    const std::string_view parent = folderPart(file.path);
    const auto named = rankInStem(stem);
    const auto folderRank = rankOfFolder(namePart(parent));
    if (!result.probe.header.rank && !named && !folderRank)
        result.probe = probeTrace(tree, file.path, ProbeDepth::Members);
    result.rank = result.probe.header.rank;
    if (!result.rank && named)
        result.rank = named->rank;
    if (!result.rank)
        result.rank = folderRank;
    result.folder = folderRank ? folderPart(parent) : parent;
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
        units.push_back(unitOf(file, std::move(assignments[&file])));
    return units;
}

} // namespace trainscope::importers::kineto
