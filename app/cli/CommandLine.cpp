#include "app/cli/CommandLine.h"

#include "app/cli/commands/Command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>

namespace trainscope::cli {

namespace {

constexpr const char* kDescription
    = R"(Power, heat, time and layout of distributed LLM training runs.
Reads what a run left behind into a run database, and answers from there.)";

constexpr const char* kFooter = R"(Examples:
  trainscope-cli import results/ --into runs.trainscope
  trainscope-cli info runs.trainscope
  trainscope-cli summary runs.trainscope --run gpt3-175b_3_00000 --json
  trainscope-cli kernels runs.trainscope --run gpt3-175b_3_00000
  trainscope-cli figure runs.trainscope --kind timeline --out timeline.pdf

trainscope-cli COMMAND --help explains a command.

Exit status: 0 done; 1 done in part, with warnings on stderr; 2 wrong usage;
3 unreadable input or unwritable output; 4 database refused.)";

void addCommands(CLI::App& app, CommandContext& context) {
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "Print this help and end");
    app.set_version_flag("--version", std::string("trainscope-cli ") + TRAINSCOPE_VERSION,
        "Print the version and end");
    app.footer(kFooter);
    addImportCommand(app, context);
    addInfoCommand(app, context);
    addSummaryCommand(app, context);
    addKernelsCommand(app, context);
    addOperatorsCommand(app, context);
    addLayoutCommand(app, context);
    addAlignCommand(app, context);
    addCollectivesCommand(app, context);
    addFindingsCommand(app, context);
    addCompareCommand(app, context);
    addPlacementCommand(app, context);
    addTopologyCommand(app, context);
    addProfileCommand(app, context);
    addRecordCommand(app, context);
    addCorrelateCommand(app, context);
    addClusterCommand(app, context);
    addPredictCommand(app, context);
    addPowerCommand(app, context);
    addFigureCommand(app, context);
    addReportCommand(app, context);
    addExportCommand(app, context);
    addQueryCommand(app, context);
    addRemoveCommand(app, context);
    addVacuumCommand(app, context);
    addCheckCommand(app, context);
    addDocumentCommand(app, context);
}

int parseAndRun(const std::vector<std::string>& arguments, Console& console) {
    CLI::App app(kDescription, "trainscope-cli");
    CommandContext context{console, {}};
    addCommands(app, context);
    try {
        // CLI11 takes the arguments from the back.
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
        const bool asked = app.exit(error, console.out(), console.err()) == 0;
        return static_cast<int>(console.finish(asked ? ExitStatus::Done : ExitStatus::Usage));
    }
    return static_cast<int>(console.finish(context.action()));
}

} // namespace

int runCommandLine(const std::vector<std::string>& arguments, Console& console) {
    try {
        return parseAndRun(arguments, console);
    } catch (const std::exception& error) {
        return static_cast<int>(console.fail({ErrorCode::Internal,
            std::string("Unexpected failure: ") + error.what() + ". Please report it.", {}}));
    }
}

} // namespace trainscope::cli
