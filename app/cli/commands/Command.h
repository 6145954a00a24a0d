#pragma once
// How a command joins the command line: it adds its subcommand with options, help and examples, and
// leaves an action behind when it was chosen.

#include "app/cli/console/Console.h"
#include "app/cli/console/ExitStatus.h"

#include <functional>

namespace CLI {
class App;
}

namespace trainscope::cli {

struct CommandContext {
    Console& console;
    std::function<ExitStatus()> action; // set by the chosen command, run after parsing
};

void addImportCommand(CLI::App& app, CommandContext& context);
void addInfoCommand(CLI::App& app, CommandContext& context);
void addSummaryCommand(CLI::App& app, CommandContext& context);
void addKernelsCommand(CLI::App& app, CommandContext& context);
void addLayoutCommand(CLI::App& app, CommandContext& context);
void addAlignCommand(CLI::App& app, CommandContext& context);
void addCollectivesCommand(CLI::App& app, CommandContext& context);
void addFindingsCommand(CLI::App& app, CommandContext& context);
void addCompareCommand(CLI::App& app, CommandContext& context);
void addPlacementCommand(CLI::App& app, CommandContext& context);
void addTopologyCommand(CLI::App& app, CommandContext& context);
void addCorrelateCommand(CLI::App& app, CommandContext& context);
void addClusterCommand(CLI::App& app, CommandContext& context);
void addFigureCommand(CLI::App& app, CommandContext& context);
void addReportCommand(CLI::App& app, CommandContext& context);
void addExportCommand(CLI::App& app, CommandContext& context);
void addQueryCommand(CLI::App& app, CommandContext& context);
void addRemoveCommand(CLI::App& app, CommandContext& context);
void addVacuumCommand(CLI::App& app, CommandContext& context);
void addCheckCommand(CLI::App& app, CommandContext& context);
void addDocumentCommand(CLI::App& app, CommandContext& context);

} // namespace trainscope::cli
