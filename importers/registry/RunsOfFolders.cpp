#include "importers/registry/PlanSteps.h"

#include "importers/common/RunFolders.h"
#include "importers/registry/Registry.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::importers {

namespace {

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

} // namespace

void joinRunsOfFolders(MachineEvidence& evidence) {
    RunsOfFolders(evidence).join();
}

} // namespace trainscope::importers
