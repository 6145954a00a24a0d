#pragma once
// `trainscope-cli`: the commands of each command line (app/cli/CommandLine.h), and what needs Qt:
// commands that draw, comparisons that the window keeps, and imports over the network.

#include "app/cli/CommandLine.h"

#include <memory>

namespace trainscope::cli {

Program fullProgram();

// Monitoring engines as sources of `import`: prom+http://… is copied or linked
// (app/engine/EngineImport.h), and what came of it is the outcome of an import.
std::shared_ptr<RemoteSources> remoteEngines();

// Each in the file of its name.
void addCompareCommand(CLI::App& app, CommandContext& context);
void addFigureCommand(CLI::App& app, CommandContext& context);
void addReportCommand(CLI::App& app, CommandContext& context);

} // namespace trainscope::cli
