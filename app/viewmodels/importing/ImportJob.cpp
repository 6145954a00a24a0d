#include "app/viewmodels/importing/ImportJob.h"

#include "app/importing/DescribedRuns.h"
#include "app/importing/RunsThere.h"
#include "app/viewmodels/importing/DroppedTree.h"
#include "core/model/Try.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <system_error>

namespace trainscope::app {

namespace {

// "tree/" of each dropped folder whose name no other dropped path has.
std::set<std::string> folderPrefixes(const std::vector<std::filesystem::path>& paths) {
    std::map<std::string, int> uses;
    for (const auto& path : paths)
        ++uses[path.filename().string()];
    std::set<std::string> prefixes;
    for (const auto& path : paths) {
        std::error_code failure;
        const auto name = path.filename().string();
        if (uses[name] == 1 && std::filesystem::is_directory(path, failure))
            prefixes.insert(name + "/");
    }
    return prefixes;
}

// Runs are named below the folder that was given; its own name stays where two runs would meet.
void nameBelowFolders(
    std::vector<importers::ImportUnit>& units, const std::vector<std::filesystem::path>& paths) {
    const auto prefixes = folderPrefixes(paths);
    const auto shortName = [&prefixes](const std::string& name) {
        const auto slash = name.find('/');
        const bool below = slash != std::string::npos && slash + 1 < name.size()
            && prefixes.contains(name.substr(0, slash + 1));
        return below ? name.substr(slash + 1) : name;
    };
    std::map<std::string, std::set<std::string>> meanings;
    for (const auto& unit : units)
        meanings[shortName(unit.runName)].insert(unit.runName);
    const auto rename = [&](std::string& run) {
        const auto name = shortName(run);
        if (meanings[name].size() == 1)
            run = name;
    };
    for (auto& unit : units) {
        rename(unit.runName);
        if (unit.machine)
            std::for_each(unit.machine->runs.begin(), unit.machine->runs.end(), rename);
    }
}

bool isKept(const UnitOutcome& outcome) {
    return outcome.report && !outcome.error;
}

// States the machines of the runs of which something was imported; errors are remarks in their
// reports.
void sayMachines(const PlannedImport& planned, const std::filesystem::path& database,
    std::vector<UnitOutcome>& outcomes) {
    std::map<std::string, ImportReport*> reports; // the first of each run
    for (UnitOutcome& outcome : outcomes) {
        if (isKept(outcome) && planned.machines.contains(outcome.unit.runName))
            reports.emplace(outcome.unit.runName, &*outcome.report);
    }
    if (reports.empty())
        return;
    auto store = store::Store::openOrCreate(database);
    for (const auto& [name, report] : reports) {
        const SaidMachine& said = planned.machines.at(name);
        const Status kept = store.hasValue()
            ? sayMachine(store.value(), name, said.gpuModel, said.airflow)
            : Status(store.error());
        if (!kept.hasValue())
            report->warn(
                name, 0, "What was said of the machine was not kept: " + kept.error().message);
    }
}

} // namespace

Result<PlannedImport> planDropped(const std::vector<std::filesystem::path>& paths,
    const std::filesystem::path& open, WorkBoard& board) {
    const auto progress = [&board](const ProgressState& state) { return board.report(state); };
    ASSIGN_OR_RETURN(auto tree, openDropped(paths, progress));
    PlannedImport planned;
    planned.tree = std::move(tree);
    ASSIGN_OR_RETURN(auto plan, importers::planImport(*planned.tree, progress));
    planned.plan = std::move(plan);
    if (paths.size() > 1)
        nameBelowFolders(planned.plan.units, paths);
    if (open.empty())
        return planned;
    planned.openUnits = planned.plan.units;
    std::vector<importers::PlannedUnit> units;
    for (importers::ImportUnit& unit : planned.openUnits)
        units.push_back({planned.tree.get(), &unit});
    joinRunsThere(std::move(units), open, progress);
    return planned;
}

Result<FinishedImport> importPlanned(
    const PlannedImport& planned, const std::filesystem::path& database, WorkBoard& board) {
    const auto listener
        = [&board](const ImportProgress& progress) { return board.report(progress); };
    ASSIGN_OR_RETURN(auto outcomes, runImport(*planned.tree, planned.plan, database, listener));
    FinishedImport finished;
    finished.outcomes = std::move(outcomes);
    finished.wroteAnything
        = std::any_of(finished.outcomes.begin(), finished.outcomes.end(), isKept);
    sayMachines(planned, database, finished.outcomes);
    return finished;
}

} // namespace trainscope::app
