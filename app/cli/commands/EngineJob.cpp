#include "app/cli/commands/EngineJob.h"

#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/GuiApplication.h"
#include "app/engine/EngineImport.h"
#include "app/engine/HttpFetch.h"
#include "app/engine/KnownEngines.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/engine/Moments.h"

#include <algorithm>

namespace trainscope::cli {

namespace {

using namespace importers::engine;

bool hasEngineOptions(const EngineOptions& options) {
    const EngineOptions usual;
    const auto isGiven = [](const std::string& text) { return !text.empty(); };
    return options.link || options.to != usual.to || options.questions != usual.questions
        || isGiven(options.match) || isGiven(options.from) || isGiven(options.step)
        || isGiven(options.mapFile) || isGiven(options.tokenFile) || isGiven(options.user)
        || isGiven(options.passwordFile) || isGiven(options.caFile) || isGiven(options.tenant)
        || !options.headers.empty();
}

Result<Mapping> mappingIn(const std::string& path) {
    if (path.empty())
        return Mapping{};
    ASSIGN_OR_RETURN(const auto text, textOfFile(path));
    auto mapping = mappingFrom(text);
    if (!mapping.hasValue())
        return Error{ErrorCode::Usage, mapping.error().message, path};
    return mapping;
}

Result<app::EngineRequest> requestFrom(const ImportRequest& request, const EngineOptions& options) {
    app::EngineRequest engine;
    ASSIGN_OR_RETURN(engine.address, addressFrom(request.sources.front()));
    ASSIGN_OR_RETURN(engine.selector, selectorFrom(options.match));
    ASSIGN_OR_RETURN(engine.mapping, mappingIn(options.mapFile));
    engine.from = options.from;
    engine.to = options.to;
    engine.runName = request.name;
    engine.isLinked = options.link;
    engine.questionsAtOnce = options.questions;
    if (!options.step.empty()) {
        engine.step = durationFrom(options.step);
        if (!engine.step || engine.step->ns < 1'000'000)
            return usageError(
                "\"" + options.step + "\" is no step of 1 ms or longer, such as 15s or 1m.");
    }
    return engine;
}

ImportOutcome outcomeOf(app::EngineOutcome done, const app::EngineRequest& engine) {
    ImportOutcome outcome;
    app::UnitOutcome unit;
    unit.unit.importer = "engine";
    unit.unit.path = done.source;
    unit.unit.runName = done.runName;
    if (done.partsKept > 0)
        unit.unit.notes.push_back(text::counted(static_cast<std::int64_t>(done.partsKept), "node")
            + " of " + std::to_string(done.parts)
            + " had been copied before; this call went on from there.");
    unit.unit.notes.push_back(rfc3339(done.range.begin) + " to " + rfc3339(done.range.end) + ", "
        + text::counted(static_cast<std::int64_t>(done.gpus), "GPU") + " on "
        + text::counted(static_cast<std::int64_t>(done.nodes), "node")
        + (engine.isLinked ? ", linked" : ""));
    unit.report = std::move(done.report);
    outcome.units.push_back(std::move(unit));
    if (done.error) {
        outcome.cancelled = done.error->code == ErrorCode::Cancelled;
        Error error = *done.error;
        error.message += " " + std::to_string(done.partsDone + done.partsKept) + " of "
            + text::counted(static_cast<std::int64_t>(done.parts), "node")
            + " are in the database; the same command goes on from there.";
        outcome.failures.push_back(std::move(error));
    }
    return outcome;
}

} // namespace

Status checkSources(const ImportRequest& request, const EngineOptions& options) {
    const std::vector<std::string>& sources = request.sources;
    const auto engines = std::count_if(sources.begin(), sources.end(),
        [](const std::string& source) { return isAddress(source); });
    if (engines == 0 && hasEngineOptions(options))
        return usageError("--match, --from, --step, --link, --map and what logs in belong to an "
                          "engine; give its address, such as prom+http://host:9090.");
    if (engines == 0)
        return {};
    if (sources.size() > 1)
        return usageError("Import from one engine at a time, and files by a call of their own.");
    if (!request.format.empty() || !request.start.empty() || !request.period.empty()
        || !request.utcOffset.empty())
        return usageError("--format, --start, --period and --utc-offset are of files: an engine "
                          "says its times itself.");
    if (options.from.empty())
        return usageError("Say from when on, with --from: 2026-11-22T10:00:00Z, unix seconds, or "
                          "one before now such as -2h.");
    return {};
}

Result<ImportOutcome> runEngineJob(
    const ImportRequest& request, const EngineOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto engine, requestFrom(request, options));
    ASSIGN_OR_RETURN(const auto access,
        app::accessFrom({options.tokenFile, options.user, options.passwordFile, options.caFile,
            options.tenant, options.headers}));
    engine.tenant = access.tenant;
    needCoreApplication();
    ASSIGN_OR_RETURN(const auto fetcher, app::openEngine(engine.address, access));
    app::rememberEngine(engine.address);
    ProgressLine line(console);
    auto done = app::importEngine(
        *fetcher, engine, request.database, wallClock(), [&](const app::EngineProgress& progress) {
            line.update(progress.phase, progress.wireBytes, 0, progress.fraction);
            return !console.isCancelled();
        });
    if (done.hasValue())
        return outcomeOf(std::move(done).value(), engine);
    ImportOutcome outcome;
    Error error = done.error();
    if (error.code == ErrorCode::Usage || error.code == ErrorCode::Cancelled)
        return error;
    if (error.where.empty())
        error.where = engine.address.shown();
    outcome.databaseFailed = error.code == ErrorCode::Io;
    outcome.failures.push_back(std::move(error));
    return outcome;
}

} // namespace trainscope::cli
