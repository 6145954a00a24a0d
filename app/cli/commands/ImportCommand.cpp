#include "app/cli/commands/Command.h"
#include "app/cli/commands/ImportJob.h"
#include "app/cli/output/RunOutput.h"
#include "app/importing/ImportedRuns.h"
#include "core/parallel/WorkerPool.h"
#include "core/report/WarningLines.h"
#include "importers/engine/Asking.h"
#include "importers/registry/Registry.h"

#include <fmt/ranges.h>

namespace trainscope::cli {
namespace {

constexpr unsigned kMostThreads = 64; // as WorkerPool takes them

struct ImportOptions {
    ImportRequest request;
    std::shared_ptr<RemoteSources> remote; // null: files alone
    unsigned threads = 0; // 0: as many as processors
    bool json = false;
    bool verbose = false;
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
        {"suggestions",
            listOf(outcome.suggestions,
                [](const auto& one) {
                    return Json{{"runs", one.runs}, {"why", one.why}};
                })},
        {"attempts",
            listOf(importers::onlyAttempts(outcome.unrecognised, true),
                [](const auto& file) {
                    return Json{{"path", file.path}, {"error", file.error}};
                })},
        {"unrecognised",
            listOf(importers::onlyAttempts(outcome.unrecognised, false), [](const auto& file) {
                return Json{{"path", file.path}, {"reason", file.reason}};
            })}};
}

std::vector<ImportWarning> warningsOf(const ImportOutcome& outcome) {
    std::vector<ImportWarning> all;
    const auto add = [&all](std::string file, std::string text, Severity severity) {
        all.push_back({std::move(file), 0, std::move(text), 1, severity});
    };
    for (const auto& [unit, runs, report, error] : outcome.units) {
        if (error)
            add(error->where, error->message, Severity::Failed);
        for (const std::string& note : unit.notes) {
            if (importers::saysOtherTime(note))
                add(unit.path, note, Severity::Doubtful);
        }
        if (!report)
            continue;
        const auto own = report::warningsOf(*report);
        all.insert(all.end(), own.begin(), own.end());
        // Whatever makes the outcome partial is said.
        if (own.empty() && report->skipped > 0)
            add(unit.path,
                text::counted(report->skipped, "line or event", "lines or events")
                    + " could not be understood and were left out.",
                Severity::Lost);
        else if (own.empty() && outcome.partialRuns.contains(unit.runName))
            add(unit.path,
                "The run \"" + unit.runName
                    + "\" is only there in part: some of what it was to hold is missing.",
                Severity::Lost);
    }
    for (const auto& failure : outcome.failures)
        add(failure.where, failure.message, Severity::Failed);
    for (const auto& unit : outcome.leftOut)
        add(unit.path, "Left out" + (unit.notes.empty() ? "." : ": " + unit.notes.front()),
            unit.copyOf.empty() ? Severity::Lost : Severity::Remark);
    for (const auto& file : importers::onlyAttempts(outcome.unrecognised, false))
        add(file.path, "Not recognised: " + file.reason, Severity::Remark);
    if (outcome.cancelled)
        add({}, "Stopped on request; what was finished before is kept.", Severity::Remark);
    return all;
}

void printWarnings(
    const ImportOptions& options, const ImportOutcome& outcome, const Console& console) {
    const auto warnings = warningsOf(outcome);
    const auto lines
        = report::groupedWarnings(warnings, options.verbose ? 0 : report::kMostWarningLines - 1);
    for (const auto& line : lines) {
        if (line.severity == Severity::Failed)
            console.fail({ErrorCode::Unreadable, line.text, {}});
        else
            console.warn(line.text);
    }
    if (lines.size() < warnings.size())
        console.err() << "--verbose lists all " << text::counted(std::ssize(warnings), "warning")
                      << ".\n";
}

void printOutcome(const ImportOptions& options, const ImportOutcome& outcome,
    const Console& console, std::ostream& out) {
    const auto table = app::importedRuns(outcome.units, options.request.database, shownOn(console));
    if (!table.hasValue() && table.error().code != ErrorCode::Cancelled)
        console.warn("The runs are not listed: " + table.error().describe());
    else if (table.hasValue() && !table.value().isEmpty())
        text::print(out, table.value());
    for (const std::string& line : importers::attemptLines(outcome.unrecognised))
        out << line << '\n';
    for (const importers::JoinSuggestion& one : outcome.suggestions)
        out << fmt::format("{} could be one run: {}. To join them: --join {}\n",
            importers::listNames(one.runs), one.why, fmt::join(one.runs, ","));
    const auto done = static_cast<std::int64_t>(outcome.done());
    const std::string all = text::counted(std::ssize(outcome.units), "source");
    out << (done == std::ssize(outcome.units) ? all : fmt::format("{} of {}", done, all))
        << (done == 1 ? " is in " : " are in ") << options.request.database << '\n';
}

// Fails as runImportJob() does.
Result<ImportOutcome> outcomeOf(const ImportOptions& options, const Console& console) {
    const std::string& first = options.request.sources.front();
    const bool isRemote = importers::engine::isAddress(first);
    if (isRemote && options.remote == nullptr)
        return Error{ErrorCode::Usage,
            "This program reads files alone; trainscope-cli imports from a monitoring engine.",
            first};
    if (options.remote != nullptr)
        RETURN_IF_ERROR(options.remote->check(options.request));
    return isRemote ? options.remote->run(options.request, console)
                    : runImportJob(options.request, console);
}

Outcome importSources(const ImportOptions& options, const Console& console) {
    WorkerPool::askFor(options.threads);
    if (options.request.database.empty())
        return usageError("--into needs the path of a run database.");
    const auto outcome = outcomeOf(options, console);
    if (!outcome.hasValue()) {
        const auto status = console.fail(outcome.error());
        // The file that cannot be written is the database.
        return outcome.error().code == ErrorCode::Usage
                || outcome.error().code == ErrorCode::Cancelled
            ? status
            : ExitStatus::Refused;
    }
    printWarnings(options, outcome.value(), console);
    show(
        console, options.json, [&] { return outcomeJson(options, outcome.value()); },
        [&](std::ostream& out) { printOutcome(options, outcome.value(), console, out); });
    return outcome.value().status();
}

constexpr const char* kHelp
    = R"(Importing a source again replaces what it gave before. Ctrl+C undoes the source
under way and keeps the finished ones.

Examples:
  trainscope-cli import results/ --into runs.trainscope
  trainscope-cli import rank0.json.gz rank1.json.gz --into runs.trainscope --name my-run
  trainscope-cli import smi.csv --format nvsmi --into runs.trainscope --json
  trainscope-cli import log.csv --column 'P_tot=gpu_power[mW]' --column t=time --into runs.trainscope)";

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
    for (const app::ImportField& field : app::importFields()) {
        if (field.option.empty())
            continue;
        auto* option = addOption(*command, field.option.data(),
            options->request.said[std::string(field.key)], std::string(field.optionHelp),
            field.optionValue.data());
        if (!field.choices.empty())
            option->check(suggesting(fmt::format("{}", fmt::join(field.choices, " "))));
    }
    addOption(*command, "--column", options->request.columns,
        "Meaning of a column of a table, where its header does not tell; may be given several "
        "times",
        "NAME=METRIC[unit]")
        ->expected(1)
        ->take_all();
    addOption(*command, "--join", options->request.joins,
        "Runs of these sources that are one, as the import suggests them; may be given several "
        "times",
        "A,B")
        ->expected(1)
        ->take_all();
    addOption(*command, "--threads", options->threads,
        "Threads to read with; as many as processors, or as TRAINSCOPE_THREADS says", "N")
        ->check(CLI::Range(1U, kMostThreads));
    options->remote = context.remote;
    if (options->remote != nullptr)
        options->remote->addOptions(*command);
    command->add_flag("--verbose", options->verbose,
        "List every warning; else one line stands for all that differ only in numbers and names");
    addJson(*command, options->json, "Print the outcome as one JSON object");
    const RemoteSources* remote = options->remote.get();
    command->footer((remote == nullptr ? "" : remote->help()) + std::string(kHelp)
        + (remote == nullptr ? "" : remote->examples()));
    runs(*command, context, options, importSources);
}

} // namespace trainscope::cli
