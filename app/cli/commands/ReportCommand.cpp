#include "app/cli/commands/Command.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/GuiApplication.h"
#include "app/cli/options/RunSelection.h"
#include "app/comparing/SavedComparison.h"
#include "app/reporting/ReportFile.h"
#include "core/model/Try.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct ReportOptions {
    std::string database;
    std::vector<std::string> runs;
    std::string out;
};

Status makeReport(const ReportOptions& options, const Console& console) {
    const bool isKnown = options.out.ends_with(".pdf") || options.out.ends_with(".html");
    if (!isKnown)
        return Error{ErrorCode::Usage, "A report's name ends in .pdf or .html.", options.out};
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    report::ReportQuery query;
    if (!options.runs.empty()) {
        ASSIGN_OR_RETURN(const auto runs, selectRuns(store, options.runs));
        for (const Run& run : runs)
            query.runs.push_back(run.id);
    }
    ASSIGN_OR_RETURN(auto saved, app::savedBoards(store, query.runs));
    query.comparisons = std::move(saved);
    ProgressLine line(console);
    const auto loaded = report::loadReport(store, query, [&](const ProgressState& state) {
        line.update(std::string(state.phase), state.bytesDone, state.bytesTotal);
        return !console.isCancelled();
    });
    line.clear();
    if (!loaded.hasValue())
        return loaded.error();
    return app::writeReport(loaded.value(), QString::fromStdString(options.out));
}

ExitStatus writeReport(const ReportOptions& options, const Console& console) {
    needApplication();
    const Status made = makeReport(options, console);
    if (!made.hasValue())
        return console.fail(made.error());
    console.out() << options.out << '\n';
    return ExitStatus::Done;
}

} // namespace

void addReportCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "report", "Findings, tables and figures of runs as one PDF or HTML page");
    auto options = std::make_shared<ReportOptions>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_option("--run", options->runs, "A run; all without it")
        ->type_name("N")
        ->expected(1)
        ->take_all();
    command->add_option("--out", options->out, "The report; its suffix says pdf or html")
        ->required()
        ->type_name("F");
    command->footer(R"(Comparisons that the database keeps of these runs have a page each.

Examples:
  trainscope-cli report runs.trainscope --out runs.pdf
  trainscope-cli report runs.trainscope --run gpt3-175b_3_00000 --out run.html)");
    command->callback([options, &context] {
        context.action = [options, &context] { return writeReport(*options, context.console); };
    });
}

} // namespace trainscope::cli
