#include "importers/registry/MachineEvidence.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/HashingTree.h"
#include "importers/registry/TracedGpus.h"
#include "importers/trace/TraceName.h"

namespace trainscope::importers {

namespace {

constexpr std::size_t kMostRuns = 256; // each is held against each

// The unit gets that run's name, and says why.
void joinRun(ImportUnit& unit, const std::string& name, const std::string& why) {
    if (unit.runName == name)
        return;
    unit.runName = name;
    // Earlier proposals hold no longer.
    std::erase_if(
        unit.notes, [](const std::string& note) { return note.starts_with("Part of run \""); });
    addNote(unit,
        "Part of run \"" + name + "\": " + why + ". Give it another run's name to keep it apart.");
}

// A path with a number behind a word: "exp/node1/run_4.log".
struct NumberedPath {
    std::string pattern; // without the number, the same for all like it
    std::string rest; // without the part that holds it: "exp/run_4.log"
    int number = 0;
    bool isOfGpu = false; // one each; else those of a node or a rank
};

std::optional<NumberedPath> numberedPath(const std::string& path) {
    constexpr std::array<std::string_view, 8> kWords{
        "gpu", "device", "cuda", "card", "rank", "node", "host", "worker"};
    constexpr std::size_t kOfGpus = 5;
    for (std::size_t end = path.size(); end > 0; --end) {
        std::size_t begin = end;
        while (begin > 0 && isDigit(path[begin - 1]))
            --begin;
        if (begin == end)
            continue;
        const std::size_t after
            = begin - (begin > 0 && std::string_view("_-.").find(path[begin - 1]) != path.npos);
        const std::string before = lowered(std::string_view(path).substr(0, after));
        const auto word = std::ranges::find_if(
            kWords, [&before](std::string_view one) { return before.ends_with(one); });
        const auto number = wholeNumber<int>(std::string_view(path).substr(begin, end - begin));
        if (word != kWords.end() && number) {
            const std::size_t next = path.find('/', end);
            const std::string above(folderPart(std::string_view(path).substr(0, end)));
            const std::string below = next == path.npos ? std::string() : path.substr(next + 1);
            return NumberedPath{path.substr(0, begin) + "#" + path.substr(end),
                above.empty() || below.empty() ? above + below : above + "/" + below, *number,
                word < kWords.begin() + kOfGpus};
        }
        end = begin + 1;
    }
    return std::nullopt;
}

// Logs of each GPU, node or rank of a job, as their names say: one run.
class NumberedLogs {
public:
    explicit NumberedLogs(MachineEvidence& evidence)
        : m_evidence(evidence) { }

    void join() {
        std::map<std::pair<std::string, std::string>, std::vector<Log>> groups;
        for (const PlannedUnit& planned : m_evidence.units()) {
            ImportUnit& unit = *planned.unit;
            if (planned.known != nullptr || !unit.enabled || unit.files.size() != 1
                || unit.isUndated || (!hasGpuReadings(unit) && !tellsSteps(unit)))
                continue;
            if (const auto path = numberedPath(unit.files.front()))
                groups[{unit.importer, path->pattern}].push_back({&planned, *path});
        }
        for (auto& [key, group] : groups) {
            if (group.size() > 1 && areOfOneJob(group))
                joinGroup(group);
        }
    }

private:
    struct Log {
        const PlannedUnit* planned = nullptr;
        NumberedPath path;
    };

    bool areOfOneJob(const std::vector<Log>& group) {
        const ImportUnit& first = *group.front().planned->unit;
        const MachineSeen& seen = m_evidence.of(first);
        std::set<int> numbers = setOf(group, [](const Log& log) { return log.path.number; });
        const int count = *numbers.rbegin() - *numbers.begin() + 1;
        if (*numbers.begin() > 1 || count != std::ssize(group))
            return false; // such as the ranks of LoRA
        return std::ranges::all_of(group, [&](const Log& log) {
            const ImportUnit& unit = *log.planned->unit;
            const MachineSeen& own = m_evidence.of(unit);
            const bool areDated = own.range && seen.range;
            if (!own.isTelemetry)
                return &unit == &first
                    || (!m_evidence.contradict(first, unit) && (!areDated || own.overlaps(seen)));
            const bool isCounted = log.path.isOfGpu ? own.ranks.size() == 1 : !own.ranks.empty();
            return isCounted && own.model == seen.model && own.vendor == seen.vendor && areDated
                && own.overlaps(seen);
        });
    }

    void joinGroup(std::vector<Log>& group) {
        std::ranges::sort(group, {}, [](const Log& log) { return log.path.number; });
        const std::string name = nameOf(group.front());
        const bool areGpus = hasGpuReadings(*group.front().planned->unit);
        if (areGpus && !place(group))
            return;
        std::vector<ImportUnit*> units;
        for (const Log& log : group) {
            joinRun(*log.planned->unit, name, "logs of one job, as their names number them");
            units.push_back(log.planned->unit);
        }
        if (!areGpus)
            keepOneLog(m_evidence, units);
    }

    // Logs that all number their GPUs from 0. False where they number some alike.
    bool place(const std::vector<Log>& group) {
        std::set<int> said;
        std::size_t count = 0;
        for (const Log& log : group) {
            const auto& ranks = m_evidence.of(*log.planned->unit).ranks;
            said.insert(ranks.begin(), ranks.end());
            count += ranks.size();
        }
        if (said.size() == count)
            return true;
        int next = 0;
        int node = 0;
        std::vector<PlaceInRun> places;
        for (const Log& log : group) {
            const auto& ranks = m_evidence.of(*log.planned->unit).ranks;
            if (*ranks.begin() != 0)
                return false;
            const int number = log.path.number;
            places.push_back(
                log.path.isOfGpu ? PlaceInRun{number, 0, number} : PlaceInRun{next, node++, 0});
            next += *ranks.rbegin() + 1;
        }
        for (std::size_t i = 0; i < group.size(); ++i)
            group[i].planned->unit->place = places[i];
        return true;
    }

    // The folder's, where a file's name has the number, unless a neighbour of the logs has it.
    [[nodiscard]] std::string nameOf(const Log& first) const {
        const std::string& path = first.planned->unit->files.front();
        const std::string folder(folderPart(path));
        if (first.path.rest != folder)
            return std::string(withoutSuffixes(first.path.rest));
        const std::string name = RunFolders(*first.planned->tree).nameOf(folder);
        const bool isTaken = std::ranges::any_of(m_evidence.units(),
            [&name](const PlannedUnit& one) { return one.unit->runName == name; });
        const std::string stem = stemWithoutRank(traceStem(path));
        return isTaken && !stem.empty() ? (folder.empty() ? stem : folder + "/" + stem) : name;
    }

    MachineEvidence& m_evidence;
};

bool isTraceOf(const PlannedUnit& planned) {
    return !isTelemetryOf(planned) && planned.unit->rank.has_value();
}

// The folder without each of its parts: what stands before it, and behind it.
std::vector<std::pair<std::string, std::string>> withoutAPart(const std::string& folder) {
    std::vector<std::pair<std::string, std::string>> keys;
    std::string behind;
    for (std::string rest = folder; !rest.empty();) {
        const std::string above(folderPart(rest));
        keys.emplace_back(above, behind);
        behind = std::string(namePart(rest)) + "/" + behind;
        rest = above;
    }
    return keys;
}

using Runs = std::vector<const RunSoFar*>;

// Distinct ranks of one world, or all from 0 on where none says its size, that begin within ten
// minutes.
bool areOneWorld(const Runs& runs) {
    constexpr double kTenMinutes = 600.0;
    std::set<int> all;
    const ImportUnit* first = nullptr;
    int world = 0; // as far as said
    for (const RunSoFar* run : runs) {
        std::set<int> own;
        for (const PlannedUnit* planned : run->units) {
            const ImportUnit& trace = *planned->unit;
            if (!isTraceOf(*planned) || !own.insert(*trace.rank).second)
                continue;
            first = first == nullptr ? &trace : first;
            const bool isOther = trace.worldSize > 0 && world > 0 && trace.worldSize != world;
            world = std::max(world, trace.worldSize);
            if (isOther || trace.gpuModel != first->gpuModel || !all.insert(*trace.rank).second
                || !trace.start || !first->start
                || std::abs((*trace.start - *first->start).seconds()) >= kTenMinutes)
                return false;
        }
        if (own.empty())
            return false;
    }
    const int count = static_cast<int>(all.size());
    return world > 0 ? count <= world && *all.rbegin() < world
                     : *all.begin() == 0 && *all.rbegin() + 1 == count;
}

void joinRuns(const Runs& runs, const std::string& name, const std::string& why) {
    for (const RunSoFar* run : runs) {
        for (const PlannedUnit* planned : run->units)
            joinRun(*planned->unit, name, why);
    }
}

// Folders of the hosts of a job: the traces of one world, and beside them the logs of their nodes.
void joinHosts(const MachineEvidence& evidence) {
    const auto runs = runsOf(evidence);
    std::map<std::pair<std::string, std::string>, Runs> groups;
    for (const RunSoFar& run : runs) {
        for (const auto& key : withoutAPart(run.shownFolder()))
            groups[key].push_back(&run);
    }
    for (const auto& [key, group] : groups) {
        if (group.size() < 2 || !areOneWorld(group))
            continue;
        const auto there = std::ranges::find_if(group, &RunSoFar::isThere);
        const SourceTree* tree = group.front()->units.front()->tree;
        std::string name(namePart(key.first));
        if (there != group.end())
            name = (*there)->name;
        else if (tree != nullptr && isInside(key.first + "/", tree->displayPath({})))
            name = RunFolders(*tree).nameOf(std::string_view(key.first).substr(
                std::min(key.first.size(), tree->displayPath("x").size() - 1)));
        joinRuns(group, name, "of the ranks of one job, in folders of its hosts");
    }
}

// Runs of a plan, or of a database, of the same GPUs.
class SameGpus {
public:
    explicit SameGpus(MachineEvidence& evidence)
        : m_evidence(evidence)
        , m_runs(runsOf(evidence)) { }

    void join() {
        renameStrangers();
        std::erase_if(m_runs, [](const RunSoFar& run) {
            return !run.isTelemetry && std::ranges::none_of(run.units, [](const auto* planned) {
                return isTraceOf(*planned);
            });
        });
        if (m_runs.size() < 2 || m_runs.size() > kMostRuns
            || std::ranges::none_of(m_runs, &RunSoFar::isTelemetry))
            return;
        for (std::size_t a = 0; a < m_runs.size(); ++a) {
            for (std::size_t b = a + 1; b < m_runs.size();) {
                if (areOne(m_runs[a], m_runs[b]) && !isAmbiguous(m_runs[a], m_runs[b]))
                    unite(a, b);
                else
                    ++b;
            }
        }
    }

private:
    // A run of a database that another source has the name of by chance.
    void renameStrangers() {
        for (RunSoFar& own : m_runs) {
            const bool isStranger
                = !own.isThere && std::ranges::any_of(m_runs, [&](const RunSoFar& there) {
                      return there.isThere && own.name == there.name && !isOfSources(own, there)
                          && !areOne(own, there) && !areOneWorld({&own, &there});
                  });
            if (!isStranger)
                continue;
            const std::string name = freeName(own);
            for (const PlannedUnit* planned : own.units) {
                planned->unit->runName = name;
                addNote(*planned->unit,
                    "Another run is called \"" + own.name
                        + "\", and nothing says that they are one: this one becomes \"" + name
                        + "\".");
            }
            own.name = name;
        }
    }

    // It is imported again, from there or as a copy.
    static bool isOfSources(const RunSoFar& run, const RunSoFar& known) {
        return anyPair(run, known, [](const PlannedUnit& own, const PlannedUnit& there) {
            const ImportUnit& unit = *own.unit;
            const auto& contents = there.known->contents;
            const auto like = contents.lower_bound({unit.bytes, {}});
            return std::ranges::find(there.unit->files, own.tree->displayPath(unit.path))
                != there.unit->files.end()
                || (like != contents.end() && like->first == unit.bytes
                    && contents.contains(
                        {unit.bytes, HashingTree(*own.tree).hashOf(unit, {}).valueOr({})}));
        });
    }

    // Its name behind more and more of the folders above it.
    [[nodiscard]] std::string freeName(const RunSoFar& run) const {
        std::string above = run.shownFolder();
        if (above.ends_with(run.name))
            above.resize(above.size() - run.name.size());
        while (above.ends_with('/'))
            above.pop_back();
        std::string name = run.name;
        for (int i = 2;; ++i) {
            const std::string folder(namePart(above));
            above = folderPart(above);
            name = folder.empty() ? run.name + " " + std::to_string(i) : folder + "/" + name;
            const auto other = std::ranges::find(m_runs, name, &RunSoFar::name);
            if (other == m_runs.end() || (other->isThere && isOfSources(run, *other)))
                return name;
        }
    }

    bool contradict(const RunSoFar& a, const RunSoFar& b) {
        return anyPair(a, b, [this](const PlannedUnit& left, const PlannedUnit& right) {
            const bool areTraces = !isTelemetryOf(left) && !isTelemetryOf(right);
            return areTraces ? areTwins(*left.unit, *right.unit)
                             : m_evidence.contradict(*left.unit, *right.unit);
        });
    }

    // Traces of one rank may follow each other, but not begin together, nor be of processes whose
    // traces lie in folders of their own: these are two jobs.
    bool areTwins(const ImportUnit& a, const ImportUnit& b) {
        if (a.rank != b.rank)
            return false;
        const auto& first = m_evidence.of(a);
        const auto& second = m_evidence.of(b);
        const bool areTwoJobs = !a.process.empty() && !b.process.empty() && a.process != b.process
            && folderPart(a.files.front()) != folderPart(b.files.front());
        return areTwoJobs || !first.range || !second.range || first.overlaps(second);
    }

    bool shareGpus(const RunSoFar& a, const RunSoFar& b) {
        return anyPair(a, b, [this](const PlannedUnit& left, const PlannedUnit& right) {
            return !m_evidence.commonGpus(*left.unit, *right.unit).empty();
        });
    }

    bool areOne(const RunSoFar& a, const RunSoFar& b) {
        if ((!a.isTelemetry && !b.isTelemetry) || (a.isThere && b.isThere) || contradict(a, b))
            return false;
        return shareGpus(a, b)
            || (a.isTelemetry != b.isTelemetry && (a.isTelemetry ? follows(a, b) : follows(b, a)));
    }

    // Its power follows the kernels of two traces, or a trace that of two logs.
    bool isAmbiguous(const RunSoFar& a, const RunSoFar& b) {
        const RunSoFar& trace = a.isTelemetry ? b : a;
        const RunSoFar& own = a.isTelemetry ? a : b;
        if (trace.isTelemetry)
            return false;
        return std::ranges::any_of(m_runs, [&](const RunSoFar& other) {
            if (&other == &a || &other == &b)
                return false;
            return !(other.isTelemetry && areOne(own, other))
                && areOne(other.isTelemetry ? trace : own, other);
        });
    }

    // The power of a GPU of the log follows the kernels of the trace.
    bool follows(const RunSoFar& log, const RunSoFar& trace) {
        return anyPair(log, trace, [this](const PlannedUnit& metered, const PlannedUnit& traced) {
            return isTelemetryOf(metered) && !isTelemetryOf(traced)
                && m_evidence.follows(*metered.unit, *traced.unit);
        });
    }

    // A log that numbers its GPUs otherwise than the other one gets that one's numbers.
    void align(const RunSoFar& into, const RunSoFar& from) {
        for (const PlannedUnit* own : from.units) {
            for (const PlannedUnit* other : into.units) {
                const auto common = isTelemetryOf(*own) && isTelemetryOf(*other)
                    ? m_evidence.commonGpus(*other->unit, *own->unit)
                    : std::vector<std::pair<PlaceInRun, PlaceInRun>>();
                if (common.empty())
                    continue;
                const PlaceInRun by = apart(common.front());
                if (own->known == nullptr && std::ranges::all_of(common, [&by](const auto& gpus) {
                        return apart(gpus) == by;
                    }))
                    own->unit->place = {own->unit->place.rank + by.rank,
                        own->unit->place.node + by.node, own->unit->place.local + by.local};
                break;
            }
        }
    }
    static PlaceInRun apart(const std::pair<PlaceInRun, PlaceInRun>& gpus) {
        return {gpus.first.rank - gpus.second.rank, gpus.first.node - gpus.second.node,
            gpus.first.local - gpus.second.local};
    }

    void unite(std::size_t a, std::size_t b) {
        RunSoFar& into = m_runs[a];
        const RunSoFar& from = m_runs[b];
        if (into.isThere || !from.isThere)
            align(into, from);
        else
            align(from, into);
        const bool isThere = into.isThere || from.isThere;
        into.name = nameOf({&into, &from});
        joinRuns({&into, &from}, into.name,
            isThere ? "that run of the database was recorded of the same GPUs at the same time"
                    : "recorded of the same GPUs at the same time");
        into.isThere = isThere;
        into.isTelemetry &= from.isTelemetry;
        while (!isInside(from.folder + "/", into.folder))
            into.folder = folderPart(into.folder);
        into.units.insert(into.units.end(), from.units.begin(), from.units.end());
        m_runs.erase(m_runs.begin() + static_cast<std::ptrdiff_t>(b));
    }

    // By what the names of logs share; else by the run whose folder holds the others', by the one
    // with traces, by the first.
    [[nodiscard]] static std::string nameOf(const Runs& group) {
        if (const auto there = std::ranges::find_if(group, &RunSoFar::isThere);
            there != group.end())
            return (*there)->name;
        const auto sharedOf = [](const RunSoFar* run) {
            return stemWithoutRank(traceStem(run->units.front()->unit->files.front()));
        };
        const std::string shared = sharedOf(group.front());
        const bool areLogs = std::ranges::all_of(group, &RunSoFar::isTelemetry);
        if (areLogs && std::ranges::all_of(group, [&](const RunSoFar* run) {
                return sharedOf(run) == shared;
            }))
            return shared;
        const RunSoFar& best = **std::ranges::min_element(group, {},
            [](const RunSoFar* run) { return std::pair(run->folder.size(), run->isTelemetry); });
        // A log's name is that of its file, which says less than the folder that holds the traces.
        const SourceTree* tree = best.units.front()->tree;
        return best.isTelemetry && !areLogs && tree != nullptr
            ? RunFolders(*tree).nameOf(best.folder)
            : best.name;
    }

    MachineEvidence& m_evidence;
    std::vector<RunSoFar> m_runs;
};

// Descriptions of machines go with the runs that got other names.
void renameDescribed(const MachineEvidence& evidence, const std::vector<std::string>& before) {
    std::map<std::string, std::set<std::string>> now;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!evidence.units()[i].unit->machine && evidence.units()[i].known == nullptr)
            now[before[i]].insert(evidence.units()[i].unit->runName);
    }
    for (const PlannedUnit& planned : evidence.units()) {
        if (!planned.unit->machine)
            continue;
        std::vector<std::string> runs;
        for (const std::string& run : planned.unit->machine->runs) {
            const auto found = now.find(run);
            const bool isMoved = found != now.end() && found->second.size() == 1;
            const std::string& name = isMoved ? *found->second.begin() : run;
            if (std::ranges::find(runs, name) == runs.end())
                runs.push_back(name);
        }
        planned.unit->machine->runs = std::move(runs);
    }
}

} // namespace

void joinOneMachine(MachineEvidence& evidence) {
    std::vector<std::string> before;
    for (const PlannedUnit& planned : evidence.units())
        before.push_back(planned.unit->runName);
    findZonesByPower(evidence);
    NumberedLogs(evidence).join();
    SameGpus(evidence).join();
    placeOnGpus(evidence);
    joinHosts(evidence);
    renameDescribed(evidence, before);
}

} // namespace trainscope::importers
