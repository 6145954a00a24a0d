#include "importers/registry/PlanSteps.h"
#include "importers/common/ExecutionTrace.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/Registry.h"

#include <fmt/format.h>

namespace trainscope::importers {

namespace {

constexpr std::size_t kEventsHead = std::size_t{256} << 10; // up to where events name a process

// Components that two folders begin with.
int sharedFolders(std::string_view a, std::string_view b) {
    int shared = 0;
    a = folderPart(a);
    b = folderPart(b);
    while (!a.empty() && !b.empty()) {
        const std::string_view first = a.substr(0, a.find('/'));
        if (first != b.substr(0, b.find('/')))
            break;
        ++shared;
        a.remove_prefix(std::min(a.size(), first.size() + 1));
        b.remove_prefix(std::min(b.size(), first.size() + 1));
    }
    return shared;
}

class Partners {
public:
    Partners(const SourceTree& tree, std::vector<ImportUnit>& units)
        : m_tree(tree)
        , m_units(units) { }

    void join() {
        for (const bool wantsChakra : {false, true}) {
            for (ImportUnit& unit : m_units) {
                const bool isChakra = unit.summary.starts_with("Chakra");
                if (unit.importer == "exectrace" && isChakra == wantsChakra)
                    joinOne(unit);
            }
        }
    }

private:
    void joinOne(ImportUnit& unit) {
        const auto header = executionTraceHead(m_tree, unit.path);
        ImportUnit* best = nullptr;
        int nearest = -1;
        for (ImportUnit& trace : m_units) {
            const bool isOther = trace.importer != "kineto"
                || (trace.rank && unit.rank && trace.rank != unit.rank);
            const int shared = sharedFolders(trace.path, unit.path);
            if (isOther || shared <= nearest || !isOfProcess(trace, header.process, unit))
                continue;
            best = &trace;
            nearest = shared;
        }
        if (best != nullptr)
            joinTo(unit, *best);
    }

    static void joinTo(ImportUnit& unit, ImportUnit& trace) {
        unit.notes.clear();
        unit.runName = trace.runName;
        unit.rank = trace.rank;
        // Its own second of local time is of no use beside the trace's clock.
        unit.clock = ClockKind::None;
        unit.start.reset();
        if (!trace.partner.empty()) {
            unit.enabled = false;
            unit.partner = trace.path;
            unit.notes.push_back("Left out: " + std::string(namePart(trace.partner))
                + " says the same of this process.");
            return;
        }
        unit.partner = trace.path;
        trace.partner = unit.path;
        unit.enabled = unit.enabled && trace.enabled;
        unit.notes.push_back("Shapes and tensors come to the operators of "
            + std::string(namePart(trace.path)) + ".");
        trace.notes.push_back(
            "With shapes and tensors of " + std::string(namePart(unit.path)) + ".");
    }

    // By the process id of its events; without one, by lying in the same folder.
    bool isOfProcess(const ImportUnit& trace, const std::optional<std::int64_t>& process,
        const ImportUnit& unit) {
        if (!process)
            return folderPart(trace.path) == folderPart(unit.path);
        auto known = m_heads.find(trace.path);
        if (known == m_heads.end())
            known
                = m_heads.emplace(trace.path, readHead(m_tree, trace.path, kEventsHead).valueOr({}))
                      .first;
        const std::string& head = known->second;
        const std::string number = std::to_string(*process);
        for (const char* form : {"\"pid\": {}", "\"pid\":{}"}) {
            const std::string wanted = fmt::format(fmt::runtime(form), number);
            for (auto at = head.find(wanted); at != std::string::npos;
                 at = head.find(wanted, at + 1)) {
                const char next = at + wanted.size() < head.size() ? head[at + wanted.size()] : ' ';
                if (next < '0' || next > '9')
                    return true;
            }
        }
        return false;
    }

    const SourceTree& m_tree;
    std::vector<ImportUnit>& m_units;
    std::map<std::string, std::string> m_heads;
};

class RunsOfFolders {
public:
    explicit RunsOfFolders(MachineEvidence& evidence)
        : m_evidence(evidence)
        , m_runs(runsOf(evidence)) { }

    void join() {
        std::set<std::pair<std::size_t, std::string>, std::greater<>> folders; // longest first
        for (const RunSoFar& run : m_runs) {
            std::string folder = run.folder;
            while (folders.emplace(folder.size(), folder).second && !folder.empty())
                folder = folderPart(folder);
        }
        for (const auto& [size, folder] : folders)
            joinIn(folder);
    }

private:
    // Its sources say that they are one run; traces say ranks alone.
    static bool isStated(const RunSoFar* run) {
        return std::ranges::any_of(run->units, [](const PlannedUnit* planned) {
            const Importer* importer = findImporter(planned->unit->importer);
            const bool isTrace = planned->unit->rank && !isTelemetryOf(*planned);
            return importer == nullptr || (importer->format.joins != Joins::RunBeside && !isTrace);
        });
    }

    // Readings of GPUs are another kind than those of nodes by the same program.
    std::string kindOf(const ImportUnit& unit) {
        const bool isOfNodes = hasGpuReadings(unit) && m_evidence.of(unit).ranks.empty()
            && m_evidence.readingsOf(unit) > 0;
        return unit.importer + (isOfNodes ? " of nodes" : "");
    }

    void joinIn(const std::string& folder) {
        std::vector<RunSoFar*> inside;
        for (RunSoFar& run : m_runs) {
            if (isInside(run.folder + "/", folder) && !run.units.empty())
                inside.push_back(&run);
        }
        if (inside.size() < 2 || !areOneRun(inside))
            return;
        const auto stated = std::ranges::find_if(inside, isStated);
        RunSoFar& into = stated != inside.end() ? **stated : *inside.front();
        const RunFolders folders(*into.units.front()->tree);
        if (stated == inside.end() || isNamedByFolder(into, folders))
            into.name = folders.nameOf(folder);
        into.folder = folder;
        for (RunSoFar* run : inside) {
            for (const PlannedUnit* planned : run->units)
                propose(*planned->unit, into.name);
            if (run == &into)
                continue;
            into.units.insert(into.units.end(), run->units.begin(), run->units.end());
            run->units.clear();
        }
        keepOneTeller(into);
    }

    // The tracker of a job and the log of its launcher tell the same steps.
    void keepOneTeller(RunSoFar& run) {
        std::vector<ImportUnit*> tellers;
        for (const PlannedUnit* planned : run.units) {
            if (tellsSteps(*planned->unit))
                tellers.push_back(planned->unit);
        }
        keepOneLog(m_evidence, tellers);
        std::erase_if(
            run.units, [](const PlannedUnit* planned) { return !planned->unit->enabled; });
    }

    // The tracker had no name for it but the folder of its own file.
    static bool isNamedByFolder(const RunSoFar& run, const RunFolders& folders) {
        const std::string& file = run.units.front()->unit->files.front();
        return isInside(file, run.name) && !folders.folderOf(file);
    }

    static void propose(ImportUnit& unit, const std::string& run) {
        if (unit.runName == run)
            return;
        unit.runName = run;
        addNote(unit, "Part of run \"" + run + "\", which has its folder to itself.");
    }

    bool areOneRun(const std::vector<RunSoFar*>& runs) {
        if (std::ranges::count_if(runs, isStated) > 1)
            return false;
        std::set<std::string> kinds;
        bool isTwice = false; // a kind, by several loggers of the same GPUs
        for (const RunSoFar* run : runs) {
            std::set<std::string> own;
            for (const PlannedUnit* planned : run->units)
                own.insert(kindOf(*planned->unit));
            for (const std::string& kind : own)
                isTwice |= !kinds.insert(kind).second;
        }
        if (isTwice && kinds.size() == 1)
            return false;
        for (auto a = runs.begin(); a != runs.end(); ++a) {
            for (auto b = runs.begin(); b != a; ++b) {
                if (contradict(**a, **b))
                    return false;
            }
        }
        return true;
    }

    bool contradict(const RunSoFar& a, const RunSoFar& b) {
        return anyPair(a, b, [this](const PlannedUnit& left, const PlannedUnit& right) {
            return m_evidence.contradict(*left.unit, *right.unit)
                || (kindOf(*left.unit) == kindOf(*right.unit)
                    && !m_evidence.readAlike(*left.unit, *right.unit));
        });
    }

    MachineEvidence& m_evidence;
    std::vector<RunSoFar> m_runs;
};

const Format& formatOf(const ImportUnit& unit) {
    static constexpr Format kUnknown{};
    const Importer* importer = findImporter(unit.importer);
    return importer == nullptr ? kUnknown : importer->format;
}

// Names of the units' runs with files in the folder or below. Descriptions of machines are no runs.
std::set<std::string> runsInside(const std::vector<ImportUnit>& units, std::string_view folder) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units) {
        if (!unit.machine && !unit.files.empty() && isInside(unit.files.front(), folder))
            names.insert(unit.runName);
    }
    return names;
}

struct RunsOfFolder {
    std::string folder;
    std::vector<std::string> runs;
};

// Runs of the folder that it lies in; inside a run that is the run's folder.
RunsOfFolder describedRuns(
    const RunFolders& runs, const std::vector<ImportUnit>& units, const ImportUnit& unit) {
    const std::string folder
        = runs.folderOf(unit.path).value_or(std::string(folderPart(unit.path)));
    const auto names = runsInside(units, folder);
    return {folder, {names.begin(), names.end()}};
}

void noteMachine(ImportUnit& unit) {
    const auto& runs = unit.machine->runs;
    if (runs.empty())
        unit.notes.emplace_back(
            "Describes the machine of a run, and none lies in its folder: say of which.");
    else if (runs.size() == 1)
        unit.notes.emplace_back("Describes the machine of the run that lies beside it.");
    else
        unit.notes.push_back("Describes the machines of those of the " + std::to_string(runs.size())
            + " runs beside it whose GPUs are of its kind and number.");
}

} // namespace

void joinStructure(const SourceTree& tree, std::vector<ImportUnit>& units) {
    Partners(tree, units).join();
}

void joinRunsOfFolders(MachineEvidence& evidence) {
    RunsOfFolders(evidence).join();
}

void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units) {
    const RunFolders runs(tree);
    launch::RunsByPlace places;
    for (const ImportUnit& unit : units) {
        for (const std::string& file : unit.machine ? std::vector<std::string>() : unit.files) {
            places[file].insert(unit.runName);
            places[std::string(folderPart(file))].insert(unit.runName);
        }
    }
    const launch::LaunchFiles files(tree, std::move(places));
    for (ImportUnit& unit : units) {
        if (formatOf(unit).launch != LaunchSettings::Beside || unit.files.empty())
            continue;
        const std::string& first = unit.files.front();
        launch::LaunchMatch match = files.find(
            runs.folderOf(first).value_or(std::string(folderPart(first))), unit.runName);
        if (!match.paths.empty())
            unit.notes.push_back("Launch configuration: " + match.config.origin + ".");
        if (!match.note.empty())
            unit.notes.push_back(match.note);
        unit.launchFiles = std::move(match.paths);
    }
}

void joinMachinesToRuns(const SourceTree& tree, std::vector<ImportUnit>& units) {
    const RunFolders folders(tree);
    std::vector<std::pair<std::size_t, std::size_t>> order; // depth of the folder, unit
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (!units[i].machine)
            continue;
        RunsOfFolder found = describedRuns(folders, units, units[i]);
        units[i].machine->runs = std::move(found.runs);
        order.emplace_back(found.folder.size(), i);
    }
    // The deeper folder is the nearer one; of equally near ones the better informed wins.
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return a.first != b.first
            ? a.first > b.first
            : units[a.second].machine->hasSpeeds > units[b.second].machine->hasSpeeds;
    });
    std::map<std::string, std::string> described; // run → by which file
    for (const auto& [depth, i] : order) {
        ImportUnit& unit = units[i];
        auto& runs = unit.machine->runs;
        const std::string before = runs.empty() ? std::string() : runs.front();
        std::string other;
        std::erase_if(runs, [&](const std::string& run) {
            const auto known = described.find(run);
            if (known == described.end())
                return false;
            other = known->second;
            return true;
        });
        if (!other.empty() && runs.empty()) {
            unit.enabled = false;
            runs = {before};
            unit.notes.push_back("Not imported: " + other + " describes the same machine.");
            continue;
        }
        for (const std::string& run : runs)
            described.emplace(run, unit.path);
        noteMachine(unit);
    }
}

} // namespace trainscope::importers
