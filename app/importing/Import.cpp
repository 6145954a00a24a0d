#include "app/importing/Import.h"

#include "app/importing/DescribedRuns.h"
#include "app/importing/RunsThere.h"
#include "core/model/Try.h"
#include "core/store/database/StoreFile.h"
#include "core/text/Numbers.h"
#include "importers/registry/JoinSuggestions.h"

#include <algorithm>
#include <set>

namespace trainscope::app {

namespace {

using importers::ImportUnit;

ImportUnit unitOf(const GivenDatabase& database) {
    ImportUnit unit;
    unit.importer = kRunDatabase;
    unit.path = database.path;
    unit.files = {database.path};
    unit.bytes = database.bytes;
    unit.summary = text::counted(std::ssize(database.runs), "run");
    if (!database.runs.empty())
        unit.summary += ": " + importers::listNames(database.runs);
    if (!database.problem.empty())
        unit.notes.push_back(database.problem);
    return unit;
}

std::vector<importers::PlannedUnit> plannedUnits(
    const importers::SourceTree& tree, std::vector<ImportUnit>& units) {
    std::vector<importers::PlannedUnit> planned;
    for (ImportUnit& unit : units)
        planned.push_back({&tree, &unit});
    return planned;
}

// Names of the enabled units that make runs.
std::set<std::string> runNames(const std::vector<ImportUnit>& units) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units) {
        if (unit.enabled && !unit.machine && !isRunDatabase(unit))
            names.insert(unit.runName);
    }
    return names;
}

void stateMachines(const std::map<std::string, SaidMachine>& machines,
    const std::filesystem::path& database, std::vector<UnitOutcome>& outcomes) {
    std::map<std::string, ImportReport*> reports; // the first of each run
    for (UnitOutcome& outcome : outcomes) {
        if (outcome.report && machines.contains(outcome.unit.runName))
            reports.emplace(outcome.unit.runName, &*outcome.report);
    }
    if (reports.empty())
        return;
    auto store = store::Store::openOrCreate(database);
    for (const auto& [name, report] : reports) {
        const SaidMachine& said = machines.at(name);
        const Status kept = store.hasValue()
            ? sayMachine(store.value(), name, said.gpuModel, said.airflow)
            : Status(store.error());
        if (!kept.hasValue())
            report->warn(
                name, 0, "What was said of the machine was not kept: " + kept.error().message);
    }
}

} // namespace

Result<PlannedImport> planGiven(const ImportSources& sources, const Progress& progress) {
    RETURN_IF_ERROR(importers::checkFormat(sources.format)); // before a large folder is walked
    PlannedImport planned;
    ASSIGN_OR_RETURN(planned.given, openGiven(sources.paths, progress));
    const importers::SourceTree& tree = *planned.given.tree;
    ASSIGN_OR_RETURN(planned.plan, importers::planImport(tree, progress, sources.format));
    auto& units = planned.plan.units;
    for (ImportUnit& unit : units)
        sayOfAll(sources.said, unit);
    const bool isThere
        = !sources.database.empty() && store::StoreFile(sources.database).isRunDatabase();
    // Clocks that are stated may bring together what the plan had to keep apart.
    const auto zone = sources.said.find("zone");
    if (zone != sources.said.end() && !zone->second.empty() && !isThere)
        joinRunsThere(plannedUnits(tree, units), {}, progress);
    nameBelowGiven(planned.given, units);
    if (isThere) {
        planned.unitsThere = units;
        joinRunsThere(plannedUnits(tree, planned.unitsThere), sources.database, progress);
    }
    planned.plan.suggestions
        = importers::suggestJoins(tree, isThere ? planned.unitsThere : units, progress);
    for (const GivenDatabase& database : planned.given.databases) {
        units.push_back(unitOf(database));
        if (isThere)
            planned.unitsThere.push_back(units.back());
    }
    return planned;
}

void describeAllRuns(std::vector<ImportUnit>& units) {
    const auto names = runNames(units);
    for (ImportUnit& unit : units) {
        if (unit.machine && unit.machine->runs.empty()) {
            unit.machine->runs = {names.begin(), names.end()};
            unit.machine->isFromElsewhere = true;
        }
    }
}

void nameRuns(PlannedImport& planned, const std::string& name) {
    auto names = runNames(planned.plan.units);
    for (const GivenDatabase& database : planned.given.databases)
        names.insert(database.runs.begin(), database.runs.end());
    const bool isPrefix = names.size() > 1;
    const auto renamed = [&](const std::string& old) { return isPrefix ? name + "/" + old : name; };
    for (ImportUnit& unit : planned.plan.units) {
        // A unit that describes runs belongs to those beside it, under their new names; without
        // any, to the run of that name.
        if (isRunDatabase(unit))
            unit.runName = isPrefix ? name + "/" : name;
        else if (!unit.machine)
            unit.runName = renamed(unit.runName);
        else if (unit.machine->runs.empty())
            unit.runName = name;
        else
            std::transform(unit.machine->runs.begin(), unit.machine->runs.end(),
                unit.machine->runs.begin(), renamed);
    }
}

Result<std::vector<UnitOutcome>> importPlanned(const PlannedImport& planned,
    const std::filesystem::path& database, const ImportListener& listener) {
    ASSIGN_OR_RETURN(
        auto outcomes, runImport(*planned.given.tree, planned.plan, database, listener));
    stateMachines(planned.machines, database, outcomes);
    return outcomes;
}

} // namespace trainscope::app
