#include "app/cli/commands/ImportJob.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/AddOption.h"
#include "app/drawing/FullProgram.h"
#include "app/engine/EngineImport.h"
#include "app/engine/HttpFetch.h"
#include "app/engine/KnownEngines.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Moments.h"

#include <CLI/CLI.hpp>

namespace trainscope::cli {

namespace {

// Options of the command line besides the address.
struct EngineOptions {
    std::string match;
    std::string from;
    std::string to = "now";
    std::string step;
    bool link = false;
    std::string mapFile;
    app::AccessFiles access;
    int questions = 4;
    bool operator==(const EngineOptions&) const = default;
};

using namespace importers::engine;

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

Status checkSources(const ImportRequest& request, const EngineOptions& options) {
    const std::vector<std::string>& sources = request.sources;
    const auto engines = std::ranges::count_if(
        sources, [](const std::string& source) { return isAddress(source); });
    if (engines == 0 && options != EngineOptions())
        return usageError("--match, --from, --step, --link, --map and what logs in belong to an "
                          "engine; give its address, such as prom+http://host:9090.");
    if (engines == 0)
        return {};
    if (sources.size() > 1)
        return usageError("Import from one engine at a time, and files by a call of their own.");
    const bool saysTimes = std::ranges::any_of(
        request.said, [](const auto& field) { return !field.second.empty(); });
    if (!request.format.empty() || saysTimes)
        return usageError(
            "--format, --start, --period, --utc-offset and --dates are of files: an engine "
            "says its times itself.");
    if (options.from.empty())
        return usageError("Say from when on, with --from: 2026-11-22T10:00:00Z, unix seconds, or "
                          "one before now such as -2h.");
    return {};
}

// Fails as runImportJob() does, or where nothing could be had.
Result<ImportOutcome> runEngineJob(
    const ImportRequest& request, const EngineOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto engine, requestFrom(request, options));
    ASSIGN_OR_RETURN(const auto access, app::accessFrom(options.access));
    engine.tenant = access.tenant;
    needCoreApplication();
    ASSIGN_OR_RETURN(const auto fetcher, app::openEngine(engine.address, access));
    app::rememberEngine(engine.address, access);
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

void addEngineOptions(CLI::App& command, EngineOptions& options) {
    addOption(command, "--match", options.match,
        "Labels that choose the series of an engine, such as {job=\"dcgm-exporter\"}; all unless "
        "given",
        "SELECTOR");
    addOption(command, "--from", options.from,
        "From when on: 2026-11-22T10:00:00Z, unix seconds, or one before now such as -2h", "T");
    addOption(command, "--to", options.to, "Until when, likewise; now unless given", "T");
    addOption(command, "--step", options.step,
        "Copy the last sample of each such stretch (15s, 1m) instead of every sample", "S");
    command.add_flag("--link", options.link, "Leave the samples in the engine")->excludes("--step");
    addOption(command, "--map", options.mapFile,
        "Which metrics and labels mean what, where they are not those of a known exporter", "FILE");
    addOption(command, "--token-file", options.access.tokenFile, "A bearer token, its first line",
        "FILE");
    addOption(command, "--user", options.access.user, "Log in by this name and a password", "NAME");
    addOption(command, "--password-file", options.access.passwordFile,
        "The password, its first line", "FILE");
    addOption(command, "--ca", options.access.caFile,
        "Certificates to trust beside the system's, PEM", "FILE");
    addOption(
        command, "--tenant", options.access.tenant, "The tenant (X-Scope-OrgID) of Mimir", "ID");
    addOption(command, "--header", options.access.headers,
        "A header of each question; may be given several times", "NAME:VALUE")
        ->expected(1)
        ->take_all();
    addOption(command, "--questions", options.questions,
        "Questions to the engine at once; 4 unless given", "N")
        ->check(CLI::Range(1, 16));
}

class RemoteEngines final : public RemoteSources {
public:
    void addOptions(CLI::App& command) override { addEngineOptions(command, m_options); }
    [[nodiscard]] const char* help() const override {
        return R"(SRC may be the address of a Prometheus-compatible monitoring engine (Prometheus, VictoriaMetrics,
Thanos, Mimir): prom+http://host:9090 or prom+https://…, with what to take of it. It is copied node by
node, and a call that was stopped goes on where it was; or it is linked: the timeline then asks the
engine for what it shows. Tokens and passwords come from files or from TRAINSCOPE_ENGINE_TOKEN and
TRAINSCOPE_ENGINE_PASSWORD.

)";
    }
    [[nodiscard]] const char* examples() const override {
        return R"(
  trainscope-cli import prom+http://host:9090 --match '{Hostname=~"node-[1-4]"}' --from -2h --into runs.trainscope
  trainscope-cli import prom+https://host/prometheus --match '{hpc_job="4711"}' --from 2026-11-22T10:00:00Z \
      --to 2026-11-22T12:00:00Z --token-file token --link --into runs.trainscope)";
    }
    [[nodiscard]] Status check(const ImportRequest& request) const override {
        return checkSources(request, m_options);
    }
    [[nodiscard]] Result<ImportOutcome> run(
        const ImportRequest& request, const Console& console) const override {
        return runEngineJob(request, m_options, console);
    }

private:
    EngineOptions m_options;
};

} // namespace

std::shared_ptr<RemoteSources> remoteEngines() {
    return std::make_shared<RemoteEngines>();
}

} // namespace trainscope::cli
