#include "importers/trace/RunGrouping.h"

#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"
#include "importers/trace/TraceName.h"

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
    return std::ranges::all_of(group,
        [&](const TraceFile* file) { return file->rank && takeRanks(*file, *file->rank, ranks); });
}

bool haveOneWorldSize(const Group& group) {
    return std::ranges::all_of(group, [&](const TraceFile* file) {
        return file->facts.worldSize == group.front()->facts.worldSize;
    });
}

bool haveOnePattern(const Group& group) {
    return std::ranges::all_of(
        group, [&](const TraceFile* file) { return file->pattern == group.front()->pattern; });
}

// Ranks of a world that all of them name, on the same kind of GPU: host names may then differ.
bool nameOneWorld(const Group& group) {
    const TraceFacts& first = group.front()->facts;
    return first.worldSize >= static_cast<int>(group.size())
        && std::ranges::all_of(group, [&](const TraceFile* file) {
               const TraceFacts& facts = file->facts;
               return facts.rank && *facts.rank < facts.worldSize
                   && facts.gpuModel == first.gpuModel;
           });
}

bool startTogether(const TraceFile& a, const TraceFile& b) {
    constexpr std::int64_t kTenMinutes = 600'000'000'000;
    return a.facts.firstNs && b.facts.firstNs
        && std::abs(*a.facts.firstNs - *b.facts.firstNs) < kTenMinutes;
}

// As many as their world has: the numbers in their names are its ranks.
bool isNumberedWorld(const Group& group) {
    std::set<int> numbers;
    const auto count = static_cast<int>(group.size());
    return haveOnePattern(group) && std::ranges::all_of(group, [&](const TraceFile* file) {
        return !file->rank && file->number && *file->number < count
            && file->facts.worldSize == count && numbers.insert(*file->number).second;
    });
}

bool isOneRun(const Group& group) {
    return group.size() == 1
        || (haveDistinctRanks(group) && haveOneWorldSize(group)
            && (haveOnePattern(group) || nameOneWorld(group)));
}

bool areFree(const std::set<int>& taken, int first, int count) {
    const auto next = taken.lower_bound(first);
    return next == taken.end() || *next >= first + count;
}

// Begins and ends of traces, each asked once.
class Extents {
public:
    explicit Extents(const TraceExtent& extentOf)
        : m_extentOf(extentOf) { }

    const std::optional<TimeRange>& of(const TraceFile& file) {
        const auto [at, isNew] = m_known.try_emplace(&file);
        if (isNew && m_extentOf)
            at->second = m_extentOf(file);
        return at->second;
    }
    // Absent: it is not known.
    std::optional<bool> overlap(const TraceFile& a, const TraceFile& b) {
        const auto first = of(a);
        const auto second = of(b);
        if (!first || !second)
            return std::nullopt;
        return first->begin < second->end && second->begin < first->end;
    }
    // Two ranks are never traced from the same to the same nanosecond.
    bool areCopies(const TraceFile& a, const TraceFile& b) { return of(a) && of(a) == of(b); }

private:
    const TraceExtent& m_extentOf;
    std::map<const TraceFile*, std::optional<TimeRange>> m_known;
};

// Containers number their processes from 1 on: such a number alone comes again in the next job.
bool areOfOneProcess(const TraceFile& a, const TraceFile& b) {
    constexpr std::int64_t kOfContainers = 100;
    const std::string& process = a.facts.process;
    const auto number = wholeNumber<std::int64_t>(process);
    return !process.empty() && process == b.facts.process
        && (!number || *number > kOfContainers || a.pattern == b.pattern);
}

bool canBeOfOneRun(const TraceFile& a, const TraceFile& b, Extents& extents) {
    if (a.facts.worldSize != b.facts.worldSize || a.facts.gpuModel != b.facts.gpuModel)
        return false;
    if (extents.areCopies(a, b))
        return false;
    const auto overlap = extents.overlap(a, b);
    const bool areRanks = a.rank && b.rank && a.rank != b.rank;
    if (!areOfOneProcess(a, b))
        return areRanks && a.pattern == b.pattern && overlap.value_or(startTogether(a, b));
    return areRanks || !overlap.value_or(false) || !a.rank || !b.rank;
}

// The files of a folder that are not plainly the ranks of one run: what can be of one run is.
std::vector<Group> runsOf(const Group& group, Extents& extents) {
    std::vector<Group> runs;
    for (TraceFile* file : group) {
        Group joined{file};
        std::erase_if(runs, [&](const Group& run) {
            const bool fits = std::ranges::any_of(
                run, [&](const TraceFile* one) { return canBeOfOneRun(*one, *file, extents); });
            if (fits)
                joined.insert(joined.end(), run.begin(), run.end());
            return fits;
        });
        runs.push_back(std::move(joined));
    }
    for (Group& run : runs)
        std::ranges::sort(run,
            [](const TraceFile* a, const TraceFile* b) { return a->file.path < b->file.path; });
    std::ranges::sort(runs,
        [](const Group& a, const Group& b) { return a.front()->file.path < b.front()->file.path; });
    return runs;
}

// A rank whose traces follow each other.
struct Lane {
    int rank = 0;
    std::string process;
    std::optional<TimeRange> last;
};

Lane* laneFor(
    std::vector<Lane>& lanes, const TraceFile& file, const std::optional<TimeRange>& extent) {
    const auto found = std::ranges::find_if(lanes, [&](const Lane& lane) {
        return lane.process == file.facts.process && lane.last && extent
            && lane.last->end <= extent->begin && file.facts.ranks == 1;
    });
    return found == lanes.end() ? nullptr : &*found;
}

// Those whose rank nobody says, in order of time.
void giveLanes(Group group, std::set<int>& taken, Extents& extents, Assignments& assignments) {
    std::ranges::stable_sort(group, [&](const TraceFile* a, const TraceFile* b) {
        const auto first = extents.of(*a);
        const auto second = extents.of(*b);
        return first && second && first->begin < second->begin;
    });
    std::vector<Lane> lanes;
    int next = 0;
    for (const TraceFile* file : group) {
        const auto extent = extents.of(*file);
        Lane* lane = laneFor(lanes, *file, extent);
        if (lane == nullptr) {
            while (!areFree(taken, next, file->facts.ranks))
                ++next;
            takeRanks(*file, next, taken);
            lanes.push_back({next, file->facts.process, extent});
            lane = &lanes.back();
        }
        lane->last = extent;
        assignments[file].rank = lane->rank;
    }
    if (lanes.size() < 2 && taken.size() < 2)
        return;
    for (const TraceFile* file : group)
        assignments[file].notes.emplace_back(
            "Neither the trace nor its name says the rank: it is a guess.");
}

void noteCaptures(const Group& group, Assignments& assignments) {
    std::map<int, int> captures; // by rank
    for (const TraceFile* file : group)
        ++captures[*assignments[file].rank];
    for (const TraceFile* file : group) {
        Assignment& one = assignments[file];
        const int count = captures[*one.rank];
        if (count > 1)
            one.notes.push_back("One of " + std::to_string(count) + " captures of rank "
                + std::to_string(*one.rank) + ": they follow each other in time.");
    }
}

void giveRanks(const Group& group, Extents& extents, Assignments& assignments) {
    std::set<int> taken;
    Group unsaid;
    for (TraceFile* file : group) {
        assignments[file].rank = file->rank;
        if (file->rank)
            takeRanks(*file, *file->rank, taken);
        else
            unsaid.push_back(file);
    }
    giveLanes(std::move(unsaid), taken, extents, assignments);
    noteCaptures(group, assignments);
}

void nameRun(
    const Group& group, const std::string& name, Extents& extents, Assignments& assignments) {
    for (const TraceFile* file : group)
        assignments[file].runName = name;
    giveRanks(group, extents, assignments);
}

std::string below(const std::string& folder, std::string_view name) {
    return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

// A run of several files is called by what their names begin with, a single file by its own.
std::string nameOfPart(const Group& run) {
    const TraceFile& first = *run.front();
    const std::string stem(traceStem(first.file.path));
    return run.size() > 1 ? below(first.folder, stemWithoutRank(stem))
                          : below(std::string(folderPart(first.file.path)), stem);
}

// A folder whose files are not all of one run.
void nameParts(const std::vector<Group>& runs, Extents& extents, Assignments& assignments) {
    std::map<std::string, int> uses;
    for (const Group& run : runs)
        ++uses[nameOfPart(run)];
    for (const Group& run : runs) {
        std::string name = nameOfPart(run);
        if (uses[name] > 1) {
            const TraceFile& first = *run.front();
            const std::string own(
                run.size() > 1 ? traceStem(first.file.path) : namePart(first.file.path));
            name = below(std::string(folderPart(first.file.path)), own);
        }
        nameRun(run, name, extents, assignments);
    }
}

// The later of two traces of one rank at one time counts.
void leaveOutTwins(const Group& group, Extents& extents, Assignments& assignments) {
    std::map<int, Group> byRank;
    for (TraceFile* file : group) {
        Group& others = byRank[*assignments[file].rank];
        std::erase_if(others, [&](TraceFile* other) {
            const bool isTwin = extents.overlap(*other, *file).value_or(true);
            if (isTwin) {
                assignments[other].enabled = false;
                assignments[other].notes.emplace_back(
                    "Left out: another trace of this rank lies beside it.");
            }
            return isTwin;
        });
        others.push_back(file);
    }
}

// All traces of a run folder are its ranks, by the numbers in their names where nothing else says.
void joinRunFolder(const Group& group, const RunFolders& folders, const std::string& folder,
    Extents& extents, Assignments& assignments) {
    Group current;
    for (TraceFile* file : group) {
        Assignment& assignment = assignments[file];
        assignment.enabled = !folders.isSuperseded(file->file.path);
        if (!file->rank)
            file->rank = file->number;
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
    nameRun(current, folders.nameOf(folder), extents, assignments);
    leaveOutTwins(current, extents, assignments);
}

void nameFolder(const SourceTree& tree, const RunFolders& folders, const Group& group,
    Extents& extents, Assignments& assignments) {
    const std::string& folder = group.front()->folder;
    if (isNumberedWorld(group)) {
        for (TraceFile* file : group)
            file->rank = file->number;
    }
    const auto runs = isOneRun(group) ? std::vector<Group>{group} : runsOf(group, extents);
    if (runs.size() > 1) {
        nameParts(runs, extents, assignments);
        return;
    }
    const bool isSingleFile = tree.files().size() == 1;
    nameRun(group,
        isSingleFile ? std::string(traceStem(group.front()->file.path)) : folders.nameOf(folder),
        extents, assignments);
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
    unit.process = facts.process;
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
    const std::string_view folder = namePart(parent);
    result.rank = result.facts.rank ? result.facts.rank : rankOfPath(path);
    if (const auto numbered = numberInStem(stem))
        result.number = numbered->rank;
    else
        result.number = numberOfFolder(folder);
    result.folder = rankOfFolder(folder) || numberOfFolder(folder) ? folderPart(parent) : parent;
    result.pattern = stemPattern(stem);
    return result;
}

void nameByFolders(const SourceTree& tree, std::vector<ImportUnit>& units) {
    std::map<std::string_view, std::vector<ImportUnit*>> byFolder;
    for (ImportUnit& unit : units)
        byFolder[folderPart(unit.path)].push_back(&unit);
    const RunFolders folders(tree);
    for (const auto& [folder, group] : byFolder) {
        std::set<int> ranks;
        const bool isOneRun
            = group.size() > 1 && std::ranges::all_of(group, [&ranks](const ImportUnit* unit) {
                  return unit->rank && ranks.insert(*unit->rank).second;
              });
        for (ImportUnit* unit : group)
            unit->runName = isOneRun ? folders.nameOf(folder)
                                     : below(std::string(folder), traceStem(unit->path));
    }
}

std::vector<ImportUnit> groupIntoRuns(const SourceTree& tree, const RunFolders& folders,
    std::vector<TraceFile> files, const TraceExtent& extentOf) {
    std::ranges::sort(
        files, [](const TraceFile& a, const TraceFile& b) { return a.file.path < b.file.path; });
    std::map<std::string, Group> byRunFolder;
    std::map<std::string, Group> byFolder;
    for (TraceFile& file : files) {
        if (const auto folder = folders.folderOf(file.file.path))
            byRunFolder[*folder].push_back(&file);
        else
            byFolder[file.folder].push_back(&file);
    }
    Assignments assignments;
    Extents extents(extentOf);
    for (const auto& [folder, group] : byRunFolder)
        joinRunFolder(group, folders, folder, extents, assignments);
    for (const auto& [folder, group] : byFolder)
        nameFolder(tree, folders, group, extents, assignments);
    return vectorOf(files, [&](const TraceFile& file) {
        return traceUnitOf(tree, file, std::move(assignments[&file]));
    });
}

} // namespace trainscope::importers
