#include "app/cli/commands/Command.h"
#include "app/drawing/FullProgram.h"
#include "app/reporting/WebPage.h"

namespace trainscope::cli {

namespace {

struct PageOptions : SomeRunsOptions {
    std::string out;
    double megabytes = 0.0; // 0: as large as it gets
};

Outcome writePage(const PageOptions& options, const Console& console, const store::Store& store) {
    ASSIGN_OR_RETURN(const auto runs, selectRuns(store, options.runs));
    const analysis::RunStudies studies(store, untilCancelled(console));
    needApplication();
    ASSIGN_OR_RETURN(
        const auto page, app::writeWebPage(studies, {runs, options.megabytes * 1e6}, options.out));
    console.out() << fmt::format(
        "{}: {:.1f} MB\n", options.out, static_cast<double>(page.bytes) / 1e6);
    for (const std::string& left : page.leftOut)
        console.out() << "left out: " << left << '\n';
    return ExitStatus::Done;
}

} // namespace

void addPageCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<PageOptions>(app, "page",
        "Writes a page that zooms in any browser: one file, without network access",
        {"export#page"});
    addRuns(*command, *options, "Run to show; may be repeated (default: all)");
    command->add_option("--out", options->out, "The page, F.html")->required();
    command->add_option(
        "--size", options->megabytes, "At most so many MB; the page says what was left out");
    runsOnDatabase(*command, context, options, writePage);
}

} // namespace trainscope::cli
