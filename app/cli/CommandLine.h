#pragma once
// A command line as a function: parses the arguments, runs the command and returns its exit status.
// Nothing throws out of it.

#include "app/cli/console/Console.h"

#include <memory>
#include <vector>

namespace CLI {
class App;
}

namespace trainscope::cli {

class RemoteSources;
struct CommandContext;

// Adds a subcommand with options, help and examples, which leaves an action behind when it was
// chosen (app/cli/commands/Command.h).
using AddCommand = void(CLI::App& app, CommandContext& context);

// Each command line has the commands that read, record and answer with text. `trainscope-node` has
// these alone; `trainscope-cli` (app/drawing/FullProgram.h) adds what needs Qt.
struct Program {
    const char* name = "trainscope-node";
    std::vector<AddCommand*> more = {};
    std::shared_ptr<RemoteSources> (*remote)() = nullptr; // null: files alone
    AddCommand* alone = nullptr; // not null: it has this command and no other
};

// In the order of --help.
std::vector<AddCommand*> commandsIn(const Program& program);

// `arguments` without the program's name.
int runCommandLine(
    const Program& program, const std::vector<std::string>& arguments, Console& console);
// The same of a whole program, on its standard streams and ended by signals.
int runProgram(const Program& program, int argc, char** argv);

} // namespace trainscope::cli
