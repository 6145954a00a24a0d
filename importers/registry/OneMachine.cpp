#include "importers/registry/OneMachine.h"

#include "importers/common/RunFolders.h"
#include "importers/registry/TracedGpus.h"
#include "importers/trace/TraceName.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr std::size_t kMostRuns = 256; // of which each is held against each

// Two logs of one GPU agree within what their sampling makes; those of two GPUs hardly in all.
bool isAbout(const std::string& metric, double a, double b) {
    constexpr double kPart = 0.02;
    const double least = metric.find("temperature") != std::string::npos ? 1.0
        : metric.find("utilization") != std::string::npos                ? 0.03
                                                                         : 0.0;
    return std::abs(a - b) <= std::max(kPart * std::max(std::abs(a), std::abs(b)), least);
}

// Absent: they have nothing in common.
std::optional<bool> agree(const MeanReadings& a, const MeanReadings& b) {
    std::optional<bool> found;
    for (const auto& [key, mean] : a) {
        const auto other = b.find(key);
        if (other != b.end())
            found = found.value_or(true) && isAbout(key.first, mean.value(), other->second.value());
    }
    return found;
}

bool isTelemetryOf(const PlannedUnit& planned) {
    return planned.known != nullptr ? planned.known->seen.isTelemetry
                                    : hasGpuReadings(*planned.unit);
}

// The unit gets that run's name, and says why.
void joinRun(ImportUnit& unit, const std::string& name, const std::string& why) {
    if (unit.runName == name)
        return;
    unit.runName = name;
    // Earlier proposals hold no longer.
    std::erase_if(unit.notes, [](const std::string& note) {
        return note.starts_with("Part of run \"") || note.starts_with("Proposed as part of run \"");
    });
    addNote(unit,
        "Part of run \"" + name + "\": " + why + ". Give it another run's name to keep it apart.");
}

// "gpu3_power": a log of one GPU that its name numbers.
std::optional<int> gpuOfName(std::string_view path) {
    const std::string_view stem = traceStem(path);
    const auto named = rankInStem(stem);
    if (!named)
        return std::nullopt;
    constexpr std::array<std::string_view, 5> kWords{"gpu", "device", "cuda", "card", "rank"};
    const bool isGpu = std::any_of(kWords.begin(), kWords.end(),
        [&](std::string_view word) { return stem.substr(named->begin).starts_with(word); });
    return isGpu ? std::optional(named->rank) : std::nullopt;
}

// Logs of one GPU each, as of a program for each of them: one run.
class LogsOfGpus {
public:
    explicit LogsOfGpus(MachineEvidence& evidence)
        : m_evidence(evidence) { }

    void join() {
        std::map<std::array<std::string, 3>, std::vector<Log>> groups;
        for (const PlannedUnit& planned : m_evidence.units()) {
            ImportUnit& unit = *planned.unit;
            if (planned.known != nullptr || !unit.enabled || !hasGpuReadings(unit)
                || unit.files.size() != 1 || unit.isUndated)
                continue;
            const std::string& path = unit.files.front();
            if (const auto gpu = gpuOfName(path))
                groups[{unit.importer, std::string(folderPart(path)), stemPattern(traceStem(path))}]
                    .push_back({&planned, *gpu});
        }
        for (auto& [key, group] : groups) {
            if (group.size() > 1 && areOfOneGpuEach(group))
                joinGroup(group, key[1]);
        }
    }

private:
    struct Log {
        const PlannedUnit* planned = nullptr;
        int gpu = 0;
    };

    bool areOfOneGpuEach(const std::vector<Log>& group) {
        std::set<int> numbers;
        const MachineSeen& first = m_evidence.of(*group.front().planned->unit);
        return std::all_of(group.begin(), group.end(), [&](const Log& log) {
            const MachineSeen& seen = m_evidence.of(*log.planned->unit);
            return seen.ranks.size() == 1 && numbers.insert(log.gpu).second
                && seen.model == first.model && seen.vendor == first.vendor && seen.range
                && first.range && seen.overlaps(first);
        });
    }

    // Logs of which none names its GPU all name the first.
    void joinGroup(const std::vector<Log>& group, const std::string& folder) {
        std::set<int> said;
        for (const Log& log : group)
            said.insert(*m_evidence.of(*log.planned->unit).ranks.begin());
        const bool areNumbered = said.size() == group.size();
        if (!areNumbered && (said.size() > 1 || *said.begin() != 0))
            return;
        const std::string name = nameOf(*group.front().planned, folder);
        for (const Log& log : group) {
            ImportUnit& unit = *log.planned->unit;
            if (!areNumbered)
                unit.place = {log.gpu, 0, log.gpu};
            joinRun(unit, name, "logs of one GPU each, of one time");
        }
    }

    // Name of the folder, unless a neighbour of the logs has it.
    [[nodiscard]] std::string nameOf(const PlannedUnit& first, const std::string& folder) const {
        std::string name = RunFolders(*first.tree).nameOf(folder);
        const bool isTaken = std::any_of(m_evidence.units().begin(), m_evidence.units().end(),
            [&name](const PlannedUnit& one) { return one.unit->runName == name; });
        const std::string stem = stemWithoutRank(traceStem(first.unit->files.front()));
        return isTaken && !stem.empty() ? (folder.empty() ? stem : folder + "/" + stem) : name;
    }

    MachineEvidence& m_evidence;
};

// Folders of the hosts of a job: the traces of one world, and beside them the logs of their nodes.
class HostFolders {
public:
    explicit HostFolders(MachineEvidence& evidence)
        : m_evidence(evidence) { }

    void join() {
        collect();
        std::map<std::pair<std::string, std::string>, std::vector<Host*>> groups;
        for (auto& [name, host] : m_hosts) {
            if (host.traces.empty())
                continue;
            for (const auto& key : keysOf(host.folder))
                groups[key].push_back(&host);
        }
        for (auto& [key, group] : groups) {
            if (group.size() > 1 && areOneWorld(group))
                joinGroup(group, key.first);
        }
    }

private:
    struct Host {
        std::string run;
        bool isThere = false; // in the database
        std::string folder; // as it is shown, absolute on disk
        std::map<int, std::vector<const ImportUnit*>> traces; // by rank
        std::vector<const PlannedUnit*> all;
    };

    void collect() {
        for (const PlannedUnit& planned : m_evidence.units()) {
            const ImportUnit& unit = *planned.unit;
            if (!unit.enabled || unit.machine || unit.files.empty())
                continue;
            const bool isThere = planned.isThere;
            Host& host = m_hosts[{unit.runName, isThere}];
            host.run = unit.runName;
            host.isThere = isThere;
            for (const std::string& file : unit.files) {
                const std::string path
                    = planned.known != nullptr ? file : planned.tree->displayPath(file);
                if (host.all.empty() && host.folder.empty())
                    host.folder = folderPart(path);
                while (!isInside(path, host.folder))
                    host.folder = folderPart(host.folder);
            }
            host.all.push_back(&planned);
            if (!isTelemetryOf(planned) && unit.rank)
                host.traces[*unit.rank].push_back(&unit);
        }
    }

    // The folder without each of its parts: what stands before it, and behind it.
    static std::vector<std::pair<std::string, std::string>> keysOf(const std::string& folder) {
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

    // Distinct ranks of one world, or all from 0 on where none says its size.
    static bool areOneWorld(const std::vector<Host*>& group) {
        const ImportUnit& first = *group.front()->traces.begin()->second.front();
        std::set<int> ranks;
        int world = 0; // as far as said
        for (const Host* host : group) {
            for (const auto& [rank, traces] : host->traces) {
                const ImportUnit& trace = *traces.front();
                const bool isOther = trace.worldSize > 0 && world > 0 && trace.worldSize != world;
                world = std::max(world, trace.worldSize);
                if (isOther || trace.gpuModel != first.gpuModel || !ranks.insert(rank).second
                    || !beginTogether(trace, first))
                    return false;
            }
        }
        const int count = static_cast<int>(ranks.size());
        return world > 0 ? count <= world && *ranks.rbegin() < world
                         : *ranks.begin() == 0 && *ranks.rbegin() + 1 == count;
    }

    static bool beginTogether(const ImportUnit& a, const ImportUnit& b) {
        constexpr double kTenMinutes = 600.0;
        return a.start && b.start && std::abs((*a.start - *b.start).seconds()) < kTenMinutes;
    }

    static void joinGroup(const std::vector<Host*>& group, const std::string& folder) {
        const auto there = std::find_if(
            group.begin(), group.end(), [](const Host* host) { return host->isThere; });
        const bool isKnown = there != group.end();
        const std::string name = isKnown ? (*there)->run : nameOf(group, folder);
        for (const Host* host : group) {
            for (const PlannedUnit* planned : host->all)
                joinRun(*planned->unit, name, "of the ranks of one job, in folders of its hosts");
        }
    }

    // Name of a folder in the tree, as runs are named, else its own.
    static std::string nameOf(const std::vector<Host*>& group, const std::string& folder) {
        const SourceTree* tree = group.front()->all.front()->tree;
        const bool isOneTree = tree != nullptr
            && std::all_of(group.begin(), group.end(),
                [tree](const Host* host) { return host->all.front()->tree == tree; });
        std::string within(folderPart(group.front()->all.front()->unit->files.front()));
        while (isOneTree && !within.empty() && tree->displayPath(within) != folder)
            within = folderPart(within);
        return isOneTree ? RunFolders(*tree).nameOf(within) : std::string(namePart(folder));
    }

    MachineEvidence& m_evidence;
    std::map<std::pair<std::string, bool>, Host> m_hosts; // by run, and whether it is there
};

// The runs of a plan, of which some become one, or one of a database.
class MachineJoining {
public:
    explicit MachineJoining(MachineEvidence& evidence)
        : m_evidence(evidence) { }

    void join() {
        collectRuns();
        if (m_runs.size() < 2 || m_runs.size() > kMostRuns || !hasTelemetry())
            return;
        m_areOne.assign(m_runs.size() * m_runs.size(), std::nullopt);
        m_contradict.assign(m_runs.size() * m_runs.size(), std::nullopt);
        renameStrangers();
        m_groupOf.resize(m_runs.size());
        std::iota(m_groupOf.begin(), m_groupOf.end(), std::size_t{0});
        for (std::size_t a = 0; a < m_runs.size(); ++a) {
            for (std::size_t b = a + 1; b < m_runs.size(); ++b) {
                if (!areOne(a, b))
                    continue;
                if (!isAmbiguous(a, b))
                    unite(a, b);
                else
                    noteCandidate(a, b);
            }
        }
        nameGroups();
        noteAmbiguous();
    }

private:
    struct RunUnits {
        std::string name;
        bool isKnown = false; // in the database that the import is for
        std::vector<const PlannedUnit*> units = {};
        bool isTelemetry = true; // alone
        std::vector<std::size_t> candidates = {}; // of which none is told from the others
    };

    void collectRuns() {
        std::map<std::pair<std::string, bool>, std::size_t> places;
        for (const PlannedUnit& planned : m_evidence.units()) {
            const ImportUnit& unit = *planned.unit;
            const bool isOfMachine = isTelemetryOf(planned) || unit.rank;
            if (!unit.enabled || unit.machine || unit.isUndated || !isOfMachine)
                continue;
            const bool isKnown = planned.isThere;
            const auto [at, isNew] = places.try_emplace({unit.runName, isKnown}, m_runs.size());
            if (isNew)
                m_runs.push_back({unit.runName, isKnown});
            m_runs[at->second].units.push_back(&planned);
            m_runs[at->second].isTelemetry &= isTelemetryOf(planned);
        }
    }

    [[nodiscard]] bool hasTelemetry() const {
        return std::any_of(m_runs.begin(), m_runs.end(), [](const RunUnits& run) {
            return std::any_of(run.units.begin(), run.units.end(),
                [](const PlannedUnit* planned) { return isTelemetryOf(*planned); });
        });
    }

    // A run of a database that another source has the name of by chance.
    void renameStrangers() {
        for (std::size_t own = 0; own < m_runs.size(); ++own) {
            for (std::size_t there = 0; there < m_runs.size(); ++there) {
                if (m_runs[own].isKnown || !m_runs[there].isKnown
                    || m_runs[own].name != m_runs[there].name || !areStrangers(own, there)
                    || isOfSources(m_runs[own], m_runs[there]))
                    continue;
                const std::string name = freeName(m_runs[own]);
                for (const PlannedUnit* planned : m_runs[own].units) {
                    planned->unit->runName = name;
                    addNote(*planned->unit,
                        "Another run is called \"" + m_runs[own].name
                            + "\", of another machine or time: this one becomes \"" + name + "\".");
                }
                m_runs[own].name = name;
                break;
            }
        }
    }

    // Parts of a job that were recorded in several databases go by its name: of those only other
    // GPUs are another machine.
    bool areStrangers(std::size_t own, std::size_t there) {
        if (m_runs[own].units.front()->known == nullptr)
            return contradict(own, there);
        const auto& a = m_evidence.of(*m_runs[own].units.front()->unit);
        const auto& b = m_evidence.of(*m_runs[there].units.front()->unit);
        return a.model != nullptr && b.model != nullptr && a.model != b.model;
    }

    // It is imported again.
    static bool isOfSources(const RunUnits& run, const RunUnits& known) {
        return std::any_of(run.units.begin(), run.units.end(), [&](const PlannedUnit* planned) {
            const std::string path = planned->known != nullptr
                ? planned->unit->path
                : planned->tree->displayPath(planned->unit->path);
            return std::any_of(known.units.begin(), known.units.end(), [&](const PlannedUnit* one) {
                const auto& files = one->unit->files;
                return std::find(files.begin(), files.end(), path) != files.end();
            });
        });
    }

    [[nodiscard]] std::string freeName(const RunUnits& run) const {
        for (int i = 2;; ++i) {
            const std::string name = run.name + " " + std::to_string(i);
            const auto other = std::find_if(m_runs.begin(), m_runs.end(),
                [&name](const RunUnits& one) { return one.name == name; });
            if (other == m_runs.end() || (other->isKnown && isOfSources(run, *other)))
                return name;
        }
    }

    std::set<int> ranksOf(const RunUnits& run) {
        std::set<int> ranks;
        for (const PlannedUnit* planned : run.units) {
            const auto& seen = m_evidence.of(*planned->unit).ranks;
            ranks.insert(seen.begin(), seen.end());
        }
        return ranks;
    }

    bool contradict(std::size_t first, std::size_t second) {
        auto& known
            = m_contradict[std::min(first, second) * m_runs.size() + std::max(first, second)];
        if (!known)
            known = findContradiction(m_runs[first], m_runs[second]);
        return *known;
    }

    bool findContradiction(const RunUnits& a, const RunUnits& b) {
        return std::any_of(a.units.begin(), a.units.end(), [&](const PlannedUnit* left) {
            return std::any_of(b.units.begin(), b.units.end(), [&](const PlannedUnit* right) {
                const bool areTraces = !isTelemetryOf(*left) && !isTelemetryOf(*right);
                return areTraces ? areTwins(*left->unit, *right->unit)
                                 : m_evidence.contradict(*left->unit, *right->unit);
            });
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

    bool shareUuids(const RunUnits& a, const RunUnits& b) {
        for (const PlannedUnit* left : a.units) {
            const auto& uuids = m_evidence.of(*left->unit).uuids;
            for (const PlannedUnit* right : b.units) {
                const auto& others = m_evidence.of(*right->unit).uuids;
                if (std::any_of(uuids.begin(), uuids.end(),
                        [&](const std::string& uuid) { return others.contains(uuid); }))
                    return true;
            }
        }
        return false;
    }

    bool areDated(const RunUnits& run) {
        return std::all_of(run.units.begin(), run.units.end(), [&](const PlannedUnit* planned) {
            return m_evidence.of(*planned->unit).range.has_value();
        });
    }

    bool areOne(std::size_t a, std::size_t b) {
        const std::size_t first = std::min(a, b);
        const std::size_t second = std::max(a, b);
        const std::size_t place = first * m_runs.size() + second;
        if (!m_areOne[place])
            m_areOne[place] = findOut(first, second);
        return *m_areOne[place];
    }

    bool findOut(std::size_t first, std::size_t second) {
        const RunUnits& a = m_runs[first];
        const RunUnits& b = m_runs[second];
        if ((!a.isTelemetry && !b.isTelemetry) || areOfOneDatabase(a, b)
            || contradict(first, second))
            return false;
        if (shareUuids(a, b))
            return true;
        if (!areDated(a) || !areDated(b) || !liesBeside(a, b))
            return false;
        const auto left = ranksOf(a);
        const auto right = ranksOf(b);
        if (a.isTelemetry && b.isTelemetry)
            return left == right && !areSiblings(a, b) && readAlike(first, second);
        const auto& traced = a.isTelemetry ? right : left;
        const auto& metered = a.isTelemetry ? left : right;
        if (traced.empty() || traced.size() > metered.size())
            return false;
        return std::includes(metered.begin(), metered.end(), traced.begin(), traced.end())
            || areOfOneNode(traced, metered) || isUnsaid(a.isTelemetry ? b : a);
    }

    // Its runs are apart already.
    static bool areOfOneDatabase(const RunUnits& a, const RunUnits& b) {
        return a.isKnown == b.isKnown && a.units.front()->known != nullptr
            && b.units.front()->known != nullptr;
    }

    // The log numbers the GPUs of its node from 0, and all ranks are of one node of as many.
    static bool areOfOneNode(const std::set<int>& traced, const std::set<int>& metered) {
        const int count = static_cast<int>(metered.size());
        return *metered.begin() == 0 && *metered.rbegin() + 1 == count
            && *traced.begin() / count == *traced.rbegin() / count;
    }

    // No trace says which rank of a world it is: its GPU may have another number in a log.
    static bool isUnsaid(const RunUnits& run) {
        return std::all_of(run.units.begin(), run.units.end(), [](const PlannedUnit* planned) {
            return planned->known == nullptr && planned->unit->worldSize <= 1;
        });
    }

    // Telemetry of several machines could be the trace's, or traces of several jobs the
    // telemetry's, and the power does not tell.
    bool isAmbiguous(std::size_t first, std::size_t second) {
        if (m_runs[first].isTelemetry && m_runs[second].isTelemetry)
            return false;
        const std::size_t trace = m_runs[first].isTelemetry ? second : first;
        const std::size_t own = m_runs[first].isTelemetry ? first : second;
        for (std::size_t other = 0; other < m_runs.size(); ++other) {
            if (other == own || other == trace)
                continue;
            const bool isLog = m_runs[other].isTelemetry;
            if (!areOne(isLog ? trace : own, other))
                continue;
            const bool isOne = isLog ? areOne(own, other) : !contradict(trace, other);
            const bool isTold = isLog ? follows(own, trace) && !follows(other, trace)
                                      : follows(own, trace) && !follows(own, other);
            if (!isOne && !isTold)
                return true;
        }
        return false;
    }

    // The power of a GPU of the log follows the kernels of the trace.
    bool follows(std::size_t log, std::size_t trace) {
        const auto& logs = m_runs[log].units;
        const auto& traces = m_runs[trace].units;
        return std::any_of(logs.begin(), logs.end(), [&](const PlannedUnit* metered) {
            return std::any_of(traces.begin(), traces.end(), [&](const PlannedUnit* traced) {
                return isTelemetryOf(*metered) && !isTelemetryOf(*traced)
                    && m_evidence.follows(*metered->unit, *traced->unit);
            });
        });
    }

    // Logs of one program that hold different metrics say nothing against each other. Two logs of
    // the same metrics by one program are those of two jobs, unless a trace is of both.
    bool readAlike(std::size_t first, std::size_t second) {
        const RunUnits& a = m_runs[first];
        const RunUnits& b = m_runs[second];
        bool isWitnessNeeded = false;
        for (const PlannedUnit* left : a.units) {
            for (const PlannedUnit* right : b.units) {
                const bool isOneProgram = left->unit->importer == right->unit->importer;
                const auto alike
                    = agree(m_evidence.of(*left->unit).means, m_evidence.of(*right->unit).means);
                if (!alike.value_or(isOneProgram))
                    return false;
                isWitnessNeeded |= isOneProgram && alike.has_value();
            }
        }
        return !isWitnessNeeded || isTraced(first, second);
    }

    // True where a trace could be of both.
    bool isTraced(std::size_t first, std::size_t second) {
        for (std::size_t trace = 0; trace < m_runs.size(); ++trace) {
            if (!m_runs[trace].isTelemetry && areOne(first, trace) && areOne(second, trace))
                return true;
        }
        return false;
    }

    static std::string folderOf(const RunUnits& run) {
        std::string folder(folderPart(run.units.front()->unit->files.front()));
        for (const PlannedUnit* planned : run.units) {
            while (!isInside(planned->unit->files.front(), folder))
                folder = folderPart(folder);
        }
        return folder;
    }

    // In one folder, or one in a folder of the other's.
    static bool liesBeside(const RunUnits& a, const RunUnits& b) {
        if (a.isKnown || b.isKnown)
            return true;
        const std::string left = folderOf(a);
        const std::string right = folderOf(b);
        return left == right || isInside(left + "/", right) || isInside(right + "/", left);
    }

    static bool areSiblings(const RunUnits& a, const RunUnits& b) {
        const auto pattern = [](const RunUnits& run) {
            return stemPattern(traceStem(run.units.front()->unit->files.front()));
        };
        return pattern(a) == pattern(b)
            && a.units.front()->unit->importer == b.units.front()->unit->importer;
    }

    // Nothing where they have members that contradict each other, or are of a database both.
    void unite(std::size_t a, std::size_t b) {
        const std::size_t from = m_groupOf[b];
        const std::size_t into = m_groupOf[a];
        for (std::size_t i = 0; i < m_runs.size() && from != into; ++i) {
            for (std::size_t k = 0; k < m_runs.size(); ++k) {
                if (m_groupOf[i] == into && m_groupOf[k] == from
                    && ((m_runs[i].isKnown && m_runs[k].isKnown) || contradict(i, k)))
                    return;
            }
        }
        std::replace(m_groupOf.begin(), m_groupOf.end(), from, into);
    }

    void noteCandidate(std::size_t a, std::size_t b) {
        m_runs[a].candidates.push_back(b);
        m_runs[b].candidates.push_back(a);
    }

    // Those that stayed alone though several could be meant.
    void noteAmbiguous() {
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            const RunUnits& run = m_runs[i];
            const bool isAlone = std::count(m_groupOf.begin(), m_groupOf.end(), m_groupOf[i]) == 1;
            if (run.candidates.size() < 2 || !isAlone || run.isKnown)
                continue;
            std::vector<std::string> names;
            for (const std::size_t candidate : run.candidates)
                names.push_back("\"" + m_runs[candidate].name + "\"");
            const std::string text = run.isTelemetry
                ? "Is of the machine and time of several runs, " + listNames(names)
                    + ": it stays a run of its own. Give it the name of one to see it there."
                : "Could be of the machine of " + listNames(names)
                    + ", and nothing tells which: it stays a run of its own. Give it that run's "
                      "name to join it.";
            for (const PlannedUnit* planned : run.units)
                addNote(*planned->unit, text);
        }
    }

    // By what the names of logs share; else by the run whose folder holds the others', by the one
    // with traces, by the first.
    [[nodiscard]] std::string nameOf(const std::vector<std::size_t>& group) const {
        for (const std::size_t i : group) {
            if (m_runs[i].isKnown)
                return m_runs[i].name;
        }
        const auto firstFile
            = [this](std::size_t run) { return m_runs[run].units.front()->unit->files.front(); };
        const bool areLogs = std::all_of(
            group.begin(), group.end(), [this](std::size_t i) { return m_runs[i].isTelemetry; });
        const std::string shared = stemWithoutRank(traceStem(firstFile(group.front())));
        if (areLogs && std::all_of(group.begin(), group.end(), [&](std::size_t i) {
                return stemWithoutRank(traceStem(firstFile(i))) == shared;
            }))
            return shared;
        const auto rating = [this](std::size_t i) {
            return std::pair(folderOf(m_runs[i]).size(), m_runs[i].isTelemetry);
        };
        const std::size_t best = *std::min_element(group.begin(), group.end(),
            [&](std::size_t a, std::size_t b) { return rating(a) < rating(b); });
        // A log's name is that of its file, which says less than the folder that holds the traces.
        const bool isOfFile
            = m_runs[best].isTelemetry && namePart(m_runs[best].name) == traceStem(firstFile(best));
        return isOfFile && !areLogs && m_runs[best].units.front()->tree != nullptr
            ? RunFolders(*m_runs[best].units.front()->tree).nameOf(folderOf(m_runs[best]))
            : m_runs[best].name;
    }

    void nameGroups() {
        std::map<std::size_t, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            groups[m_groupOf[i]].push_back(i);
        for (const auto& [first, group] : groups) {
            if (group.size() < 2)
                continue;
            const std::string name = nameOf(group);
            const bool isThere = std::any_of(
                group.begin(), group.end(), [this](std::size_t i) { return m_runs[i].isKnown; });
            for (const std::size_t i : group) {
                for (const PlannedUnit* planned : m_runs[i].units)
                    joinRun(*planned->unit, name,
                        isThere ? "that run of the database was recorded of the same GPUs at the "
                                  "same time"
                                : "recorded of the same GPUs at the same time");
            }
        }
    }

    MachineEvidence& m_evidence;
    std::vector<RunUnits> m_runs;
    // By run and run, each asked once.
    std::vector<std::optional<bool>> m_areOne;
    std::vector<std::optional<bool>> m_contradict;
    std::vector<std::size_t> m_groupOf;
};

// Units that name a run, or belong to it without showing a machine (logs of the training,
// topologies). They go with the run where all of it gets another name.
class Followers {
public:
    explicit Followers(const MachineEvidence& evidence) {
        for (const PlannedUnit& planned : evidence.units()) {
            if (!planned.isThere)
                m_before.emplace_back(&planned, planned.unit->runName);
        }
    }

    void follow() const {
        std::map<std::string, std::set<std::string>> names; // before → now
        for (const auto& [planned, before] : m_before) {
            if (isMoved(*planned))
                names[before].insert(planned->unit->runName);
        }
        const auto newName = [&names](const std::string& before) {
            const auto found = names.find(before);
            return found != names.end() && found->second.size() == 1 ? *found->second.begin()
                                                                     : before;
        };
        for (const auto& [planned, before] : m_before) {
            ImportUnit& unit = *planned->unit;
            if (!unit.machine && !isMoved(*planned))
                joinRun(unit, newName(before), "as what was proposed for it before");
            if (!unit.machine)
                continue;
            std::vector<std::string> runs;
            for (const std::string& run : unit.machine->runs) {
                if (std::find(runs.begin(), runs.end(), newName(run)) == runs.end())
                    runs.push_back(newName(run));
            }
            unit.machine->runs = std::move(runs);
        }
    }

private:
    static bool isMoved(const PlannedUnit& planned) {
        const ImportUnit& unit = *planned.unit;
        return unit.enabled && !unit.machine && !unit.isUndated
            && (isTelemetryOf(planned) || unit.rank);
    }

    std::vector<std::pair<const PlannedUnit*, std::string>> m_before;
};

} // namespace

void joinOneMachine(MachineEvidence& evidence) {
    const Followers followers(evidence);
    findZonesByPower(evidence);
    LogsOfGpus(evidence).join();
    MachineJoining(evidence).join();
    placeOnGpus(evidence);
    HostFolders(evidence).join();
    followers.follow();
}

} // namespace trainscope::importers
