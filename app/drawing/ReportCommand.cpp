#include "app/cli/commands/Command.h"
#include "app/comparing/SavedComparison.h"
#include "app/drawing/FullProgram.h"
#include "app/reporting/ReportFile.h"
#include "core/model/HarmlessText.h"

namespace trainscope::cli {

namespace {

struct ReportOptions : SomeRunsOptions {
    std::string out;
    app::Paper paper = app::Paper::A4;
};

Status makeReport(const ReportOptions& options, const Console& console) {
    RETURN_IF_ERROR(app::checkReportName(QString::fromStdString(options.out)));
    if (harmless(options.out) != options.out)
        return usageError("The name of a report is UTF-8 without control characters.");
    ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
    report::ReportQuery query;
    if (!options.runs.empty()) {
        ASSIGN_OR_RETURN(const auto runs, selectRuns(store, options.runs));
        for (const Run& run : runs)
            query.runs.push_back(run.id);
    }
    ASSIGN_OR_RETURN(query.comparisons, app::savedBoards(store, query.runs));
    ASSIGN_OR_RETURN(const auto loaded, report::loadReport(store, query, shownOn(console)));
    return app::writeReport(loaded, QString::fromStdString(options.out), options.paper);
}

Outcome writeReport(const ReportOptions& options, const Console& console) {
    needApplication();
    RETURN_IF_ERROR(makeReport(options, console));
    console.out() << options.out << '\n';
    return ExitStatus::Done;
}

} // namespace

void addReportCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand(
        "report", "Findings, tables and figures of runs as one PDF or HTML page");
    auto options = std::make_shared<ReportOptions>();
    addRuns(*command, *options, "A run; all without it");
    addOption(*command, "--out", options->out, "The report; its suffix says pdf or html", "F")
        ->required();
    const std::map<std::string, app::Paper> papers{
        {"a4", app::Paper::A4}, {"letter", app::Paper::Letter}};
    addOption(*command, "--paper", options->paper, "The PDF's paper: a4 (default) or letter", "P")
        ->transform(CLI::CheckedTransformer(papers, CLI::ignore_case).description(""))
        ->check(suggesting("a4 letter"));
    setFooter(*command);
    runs(*command, context, options, writeReport);
}

} // namespace trainscope::cli
