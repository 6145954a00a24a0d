#pragma once
// `trainscope-cli`: the commands of each command line (app/cli/CommandLine.h), and what needs Qt:
// commands that draw, comparisons that the window keeps, and imports over the network.

#include "app/cli/CommandLine.h"

namespace trainscope::cli {

Program fullProgram();

// Each in the file of its name.
void addCompareCommand(CLI::App& app, CommandContext& context);
void addFigureCommand(CLI::App& app, CommandContext& context);
void addReportCommand(CLI::App& app, CommandContext& context);

} // namespace trainscope::cli
