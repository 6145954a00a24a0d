#include "app/cli/commands/Command.h"
#include "app/cli/commands/ImportJob.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/options/CommandText.h"
#include "app/cli/options/GuiApplication.h"
#include "app/cli/options/Suggestions.h"
#include "app/cli/output/ReportJson.h"
#include "app/engine/EngineImport.h"
#include "app/engine/HttpFetch.h"
#include "app/engine/KnownEngines.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"
#include "core/parallel/WorkerPool.h"
#include "core/report/RunTables.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "importers/engine/Address.h"
#include "importers/engine/Moments.h"
#include "importers/registry/Registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace trainscope::cli {
namespace {

// `trainscope-cli import prom+http://…` as plain steps: from options to a copy or a link, and what
// came of it as the outcome of an import.

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
};

using namespace importers::engine;

bool hasEngineOptions(const EngineOptions& options) {
    const EngineOptions usual;
    const auto isGiven = [](const std::string& text) { return !text.empty(); };
    return options.link || options.to != usual.to || options.questions != usual.questions
        || isGiven(options.match) || isGiven(options.from) || isGiven(options.step)
        || isGiven(options.mapFile) || isGiven(options.access.tokenFile)
        || isGiven(options.access.user) || isGiven(options.access.passwordFile)
        || isGiven(options.access.caFile) || isGiven(options.access.tenant)
        || !options.access.headers.empty();
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

// Usage for options without an address, those of files with one, addresses beside files, and a time
// that is missing.
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

// Fails as runImportJob() does, or where nothing could be had.
Result<ImportOutcome> runEngineJob(
    const ImportRequest& request, const EngineOptions& options, const Console& console) {
    ASSIGN_OR_RETURN(auto engine, requestFrom(request, options));
    ASSIGN_OR_RETURN(const auto access, app::accessFrom(options.access));
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

constexpr std::size_t kMaxListed = 20;
constexpr unsigned kMostThreads = 64; // as WorkerPool takes them

struct ImportOptions {
    ImportRequest request;
    EngineOptions engine;
    unsigned threads = 0; // 0: as many as processors
    bool json = false;
};

Json errorJson(const Error& error) {
    return {{"where", error.where}, {"message", error.message}};
}

Json unitJson(const app::UnitOutcome& outcome) {
    const bool cancelledHere = outcome.error && outcome.error->code == ErrorCode::Cancelled;
    Json json = object({{"path", outcome.unit.path}, {"run", importers::runText(outcome.unit)},
        {"importer", outcome.unit.importer}, {"rank", outcome.unit.rank},
        {"status",
            outcome.report      ? "done"
                : cancelledHere ? "cancelled"
                                : "failed"},
        {"notes", outcome.unit.notes}});
    if (outcome.report)
        json["report"] = reportJson(*outcome.report);
    if (outcome.error)
        json["error"] = errorJson(*outcome.error);
    return json;
}

Json outcomeJson(const ImportOptions& options, const ImportOutcome& outcome) {
    const bool complete = outcome.status() == ExitStatus::Done;
    return {{"database", options.request.database},
        {"status",
            outcome.done() == 0 ? "failed"
                : complete      ? "done"
                                : "partial"},
        {"sources", listOf(outcome.units, unitJson)},
        {"failures", listOf(outcome.failures, errorJson)},
        {"left_out",
            listOf(outcome.leftOut,
                [](const auto& unit) {
                    return Json{{"path", unit.path}, {"notes", unit.notes}};
                })},
        {"unrecognised", listOf(outcome.unrecognised, [](const auto& file) {
             return Json{{"path", file.path}, {"reason", file.reason}};
         })}};
}

void warnAbout(const ImportReport& report, const Console& console) {
    for (const auto& warning : report.warnings) {
        const std::string line
            = warning.line > 0 ? ":" + std::to_string(warning.line) : std::string();
        console.warn((warning.file.empty() ? std::string() : warning.file + line + ": ")
            + warning.fullText());
    }
    std::int64_t listed = 0;
    for (const auto& warning : report.warnings)
        listed += warning.files;
    if (report.warningCount > listed)
        console.warn(
            "... and " + std::to_string(report.warningCount - listed) + " more of this source.");
}

void printWarnings(const ImportOutcome& outcome, const Console& console) {
    for (const auto& unit : outcome.units) {
        if (unit.report)
            warnAbout(*unit.report, console);
        else if (unit.error)
            console.fail(*unit.error);
        // Warnings that make the outcome partial are always printed.
        if (!unit.report || !unit.report->warnings.empty())
            continue;
        if (unit.report->skipped > 0)
            console.warn(unit.unit.path + ": "
                + text::counted(unit.report->skipped, "line or event", "lines or events")
                + " could not be understood and were left out.");
        else if (outcome.partialRuns.contains(unit.unit.runName))
            console.warn(unit.unit.path + ": the run " + unit.unit.runName
                + " is only there in part: some of what it was to hold is missing.");
    }
    for (const auto& failure : outcome.failures)
        console.fail(failure);
    for (const auto& unit : outcome.leftOut)
        console.warn(
            unit.path + " was left out" + (unit.notes.empty() ? "." : ": " + unit.notes.front()));
    const std::size_t count = outcome.unrecognised.size();
    for (std::size_t i = 0; i < std::min(count, kMaxListed); ++i)
        console.warn("not recognised: " + outcome.unrecognised[i].path + " ("
            + outcome.unrecognised[i].reason + ")");
    if (count > kMaxListed)
        console.warn("... and " + std::to_string(count - kMaxListed)
            + " more files that were not recognised.");
    if (outcome.cancelled)
        console.warn("Stopped on request; what was finished before is kept.");
}

void printOutcome(const ImportOptions& options, const ImportOutcome& outcome, std::ostream& out) {
    text::Table table{
        .columns = {{"run", text::Align::Left}, {"rank"}, {"read", text::Align::Left}}};
    for (const auto& unit : outcome.units) {
        const std::string rank = unit.unit.rank ? std::to_string(*unit.unit.rank) : std::string();
        table.add({importers::runText(unit.unit), rank,
            unit.report ? report::readText(*unit.report) : "failed"});
    }
    if (!table.isEmpty())
        text::print(out, table);
    const auto done = static_cast<std::int64_t>(outcome.done());
    const std::string all = text::counted(std::ssize(outcome.units), "source");
    out << (done == std::ssize(outcome.units) ? all : fmt::format("{} of {}", done, all))
        << (done == 1 ? " is in " : " are in ") << options.request.database << '\n';
}

Outcome importSources(const ImportOptions& options, const Console& console) {
    WorkerPool::askFor(options.threads);
    if (options.request.database.empty())
        return usageError("--into needs the path of a run database.");
    RETURN_IF_ERROR(checkSources(options.request, options.engine));
    const auto outcome = importers::engine::isAddress(options.request.sources.front())
        ? runEngineJob(options.request, options.engine, console)
        : runImportJob(options.request, console);
    if (!outcome.hasValue()) {
        const auto status = console.fail(outcome.error());
        // The file that cannot be written is the database.
        return outcome.error().code == ErrorCode::Usage
                || outcome.error().code == ErrorCode::Cancelled
            ? status
            : ExitStatus::Refused;
    }
    printWarnings(outcome.value(), console);
    show(
        console, options.json, [&] { return outcomeJson(options, outcome.value()); },
        [&](std::ostream& out) { printOutcome(options, outcome.value(), out); });
    return outcome.value().status();
}

void addEngineOptions(CLI::App& command, EngineOptions& options) {
    addOption(command, "--match", options.match,
        "Of an engine: labels that choose the series, such as {job=\"dcgm-exporter\"}; all unless "
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

} // namespace

void addImportCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("import", "Read files and folders into a run database");
    auto options = std::make_shared<ImportOptions>();
    command
        ->add_option(
            "SRC", options->request.sources, "Files and folders; formats are found by content")
        ->required();
    addOption(*command, "--into", options->request.database,
        "The run database; created when it does not exist", "DB")
        ->required();
    addOption(*command, "--name", options->request.name,
        "Name of the run; a prefix where there are several runs", "N");
    addOption(*command, "--format", options->request.format,
        "Read the sources as this format only: " + importers::formatList(&importers::Format::id),
        "FORMAT")
        ->check(suggesting(replaced(importers::formatList(&importers::Format::id), ",", "")));
    addOption(*command, "--start", options->request.start,
        "When recordings without a date began, such as 2026-04-22T00:03:09Z", "T");
    addOption(*command, "--period", options->request.period,
        "Between their readings, where they have no time stamps: 100ms, 1.5; else 1 s", "S");
    addOption(*command, "--utc-offset", options->request.utcOffset,
        "Zone of local time stamps, such as +08:00 or Europe/Berlin; else they are taken as UTC",
        "ZONE");
    addOption(*command, "--dates", options->request.dates,
        "Order of dates that can be read in two ways: day-first or month-first", "ORDER")
        ->check(suggesting("day-first month-first"));
    addOption(*command, "--column", options->request.columns,
        "What a column of a table is, where its header does not tell; may be given several times",
        "NAME=METRIC[unit]")
        ->expected(1)
        ->take_all();
    addOption(*command, "--threads", options->threads,
        "Threads to read with; as many as processors, or as TRAINSCOPE_THREADS says", "N")
        ->check(CLI::Range(1U, kMostThreads));
    addEngineOptions(*command, options->engine);
    addJson(*command, options->json, "Print the outcome as one JSON object");
    command->footer(
        R"(SRC may be the address of a Prometheus-compatible monitoring engine (Prometheus, VictoriaMetrics,
Thanos, Mimir): prom+http://host:9090 or prom+https://…, with what to take of it. It is copied node by
node, and a call that was stopped goes on where it was; or it is linked: the timeline then asks the
engine for what it shows. Tokens and passwords come from files or from TRAINSCOPE_ENGINE_TOKEN and
TRAINSCOPE_ENGINE_PASSWORD.

Importing a source again replaces what it gave before. Ctrl+C undoes the source
under way and keeps the finished ones.

Examples:
  trainscope-cli import results/ --into runs.trainscope
  trainscope-cli import rank0.json.gz rank1.json.gz --into runs.trainscope --name my-run
  trainscope-cli import smi.csv --format nvsmi --into runs.trainscope --json
  trainscope-cli import log.csv --column 'P_tot=gpu_power[mW]' --column t=time --into runs.trainscope
  trainscope-cli import prom+http://host:9090 --match '{Hostname=~"node-[1-4]"}' --from -2h --into runs.trainscope
  trainscope-cli import prom+https://host/prometheus --match '{hpc_job="4711"}' --from 2026-11-22T10:00:00Z \
      --to 2026-11-22T12:00:00Z --token-file token --link --into runs.trainscope)");
    runs(*command, context, options, importSources);
}

} // namespace trainscope::cli
