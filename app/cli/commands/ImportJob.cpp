#include "app/cli/commands/ImportJob.h"

#include "app/cli/console/ProgressLine.h"
#include "app/importing/Import.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "importers/common/RunFolders.h"
#include "importers/common/SaidColumns.h"
#include "importers/registry/JoinSuggestions.h"
#include "importers/registry/Registry.h"

#include <fmt/ranges.h>

#include <unistd.h>

#include <cerrno>

namespace trainscope::cli {

namespace {

using app::GivenPath;
using app::PlannedImport;

// Junk beside results is no loss; what permissions hide may be results.
bool isForbidden(const std::string& path) {
    return ::access(path.c_str(), R_OK) != 0 && errno == EACCES;
}

bool holds(const GivenPath& given, const std::string& file) {
    return file == given.path || importers::isInside(file, given.path);
}

// A folder that was given, or the files that were given of one folder.
struct Place {
    std::vector<const GivenPath*> given;

    [[nodiscard]] bool holds(const std::string& file) const {
        return std::any_of(given.begin(), given.end(),
            [&file](const GivenPath* one) { return cli::holds(*one, file); });
    }
};

std::vector<Place> placesOf(const PlannedImport& planned) {
    std::map<std::pair<bool, std::string>, Place> places;
    for (const GivenPath& one : planned.given.paths) {
        const std::string folder
            = one.isFolder ? one.path : std::string(importers::folderPart(one.path));
        places[{one.isFolder, folder}].given.push_back(&one);
    }
    std::vector<Place> all;
    for (auto& [key, place] : places)
        all.push_back(std::move(place));
    return all;
}

// Absent where something of the place is imported.
std::optional<Error> nothingUsable(const PlannedImport& planned, const Place& place) {
    const auto& tree = *planned.given.tree;
    const auto isOfPlace = [&place](const importers::ImportUnit& unit) {
        return unit.enabled
            && std::any_of(unit.files.begin(), unit.files.end(),
                [&place](const std::string& file) { return place.holds(file); });
    };
    const auto& units = planned.plan.units;
    if (std::any_of(units.begin(), units.end(), isOfPlace))
        return std::nullopt;
    std::vector<std::string> files;
    for (const auto& file : tree.files()) {
        if (place.holds(file.path))
            files.push_back(file.path);
    }
    std::vector<std::string> reasons;
    for (const auto& file : planned.plan.unrecognised) {
        if (place.holds(file.path))
            reasons.push_back(file.reason);
    }
    const GivenPath& first = *place.given.front();
    const std::string where = files.size() == 1 ? files.front()
        : first.isFolder                        ? first.path
                                                : std::string(importers::folderPart(first.path));
    std::string message = files.empty() ? "The folder is empty" : "Nothing in it was recognised";
    if (reasons.size() == 1)
        message = "It was not recognised: " + reasons.front();
    return Error{ErrorCode::Unrecognised,
        message + ". Expected is one of: " + importers::formatList(&importers::Format::name) + ".",
        tree.displayPath(where)};
}

// States in the outcome what of the plan is not imported.
void noteRest(PlannedImport& planned, ImportOutcome& outcome) {
    const auto& tree = *planned.given.tree;
    outcome.failures = std::move(planned.given.failures);
    for (const Place& place : placesOf(planned)) {
        if (auto nothing = nothingUsable(planned, place))
            outcome.failures.push_back(*std::move(nothing));
    }
    for (const auto& file : planned.plan.unrecognised) {
        outcome.unrecognised.push_back(file);
        outcome.unrecognised.back().path = tree.displayPath(file.path);
        const bool isNamed = std::any_of(planned.given.paths.begin(), planned.given.paths.end(),
            [&file](const GivenPath& one) { return !one.isFolder && holds(one, file.path); });
        outcome.isPartial |= isNamed || isForbidden(outcome.unrecognised.back().path);
    }
    for (const auto& unit : planned.plan.units) {
        if (!unit.enabled)
            outcome.leftOut.push_back(unit);
    }
    outcome.suggestions = std::move(planned.plan.suggestions);
}

// All units are of the run that was recorded.
Status makeOneRun(const ImportRequest& request, PlannedImport& planned, const Progress& progress) {
    std::vector<importers::PlannedUnit> units;
    for (auto& unit : planned.plan.units) {
        unit.runName = request.name;
        units.push_back({planned.given.tree.get(), &unit});
    }
    return request.gpus.gpus.empty()
        ? Status()
        : importers::placeOnRecordedGpus(units, request.gpus, progress);
}

Status joinSaid(const std::string& join, PlannedImport& planned) {
    std::vector<std::string> names;
    for (const std::string_view name : words(join, ","))
        names.emplace_back(trimmed(name));
    if (names.size() < 2)
        return usageError("--join takes two runs or more, such as A,B; not \"" + join + "\".");
    return importers::joinRuns(*planned.given.tree, planned.plan, names);
}

Result<PlannedImport> planFor(const ImportRequest& request, const Progress& progress) {
    RETURN_IF_ERROR(app::checkSaid(request.said));
    app::ImportSources sources{
        .paths = request.sources, .format = request.format, .said = request.said};
    ASSIGN_OR_RETURN(
        auto columns, importers::saidColumnsIn(fmt::format("{}", fmt::join(request.columns, ";"))));
    importers::sayColumns(std::move(columns));
    if (request.name.empty())
        sources.database = request.database;
    ASSIGN_OR_RETURN(PlannedImport planned, app::planGiven(sources, progress));
    if (!planned.unitsThere.empty())
        planned.plan.units = std::move(planned.unitsThere);
    for (const std::string& join : request.joins)
        RETURN_IF_ERROR(joinSaid(join, planned));
    app::describeAllRuns(planned.plan.units);
    if (request.isOneRun)
        RETURN_IF_ERROR(makeOneRun(request, planned, progress));
    else if (!request.name.empty())
        app::nameRuns(planned, request.name);
    return planned;
}

void takeOutcomes(
    const PlannedImport& planned, std::vector<app::UnitOutcome> outcomes, ImportOutcome& all) {
    for (auto& outcome : outcomes) {
        outcome.unit.path = planned.given.tree->displayPath(outcome.unit.path);
        all.cancelled |= outcome.error && outcome.error->code == ErrorCode::Cancelled;
        all.databaseFailed |= outcome.error && app::isOfDatabase(*outcome.error)
            && !app::isRunDatabase(outcome.unit);
        all.units.push_back(std::move(outcome));
    }
}

// A file that was cut short is imported as far as it goes; its run then says that it is partial.
void markPartialRuns(const std::string& database, ImportOutcome& outcome) {
    if (outcome.done() == 0)
        return;
    const auto store = store::Store::open(database, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return;
    for (const app::UnitOutcome& unit : outcome.units) {
        for (const std::string& name : unit.unit.machine ? std::vector<std::string>() : unit.runs) {
            const auto run = store.value().findRun(name);
            if (run.hasValue() && run.value().status == RunStatus::Partial)
                outcome.partialRuns.insert(name);
        }
    }
}

} // namespace

std::size_t ImportOutcome::done() const {
    return static_cast<std::size_t>(std::count_if(
        units.begin(), units.end(), [](const auto& unit) { return unit.report.has_value(); }));
}

ExitStatus ImportOutcome::status() const {
    if (cancelled)
        return ExitStatus::Partly;
    if (done() == 0)
        return databaseFailed ? ExitStatus::Refused : ExitStatus::Unreadable;
    const bool inPart = std::any_of(units.begin(), units.end(),
        [](const auto& unit) { return !unit.report || unit.report->skipped > 0; });
    return inPart || isPartial || !partialRuns.empty() || !failures.empty() ? ExitStatus::Partly
                                                                            : ExitStatus::Done;
}

Result<ImportOutcome> runImportJob(const ImportRequest& request, const Console& console) {
    ProgressLine line(console);
    ASSIGN_OR_RETURN(PlannedImport planned, planFor(request, [&](const ProgressState& state) {
        line.update(state.phase, state.bytesDone, state.bytesTotal);
        return !console.isCancelled();
    }));
    ImportOutcome outcome;
    noteRest(planned, outcome);
    const auto& units = planned.plan.units;
    if (std::any_of(units.begin(), units.end(), [](const auto& unit) { return unit.enabled; })) {
        ASSIGN_OR_RETURN(auto outcomes,
            app::importPlanned(planned, request.database, [&](const app::ImportProgress& state) {
                line.update(state.phase, state.bytesDone, state.bytesTotal, state.fraction);
                return !console.isCancelled();
            }));
        takeOutcomes(planned, std::move(outcomes), outcome);
    }
    markPartialRuns(request.database, outcome);
    return outcome;
}

} // namespace trainscope::cli
