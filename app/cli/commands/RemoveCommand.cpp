#include "app/cli/commands/Command.h"
#include "app/cli/options/AddOption.h"
#include "core/store/Writing.h"
#include "core/text/Numbers.h"

#include <CLI/CLI.hpp>

#include <ostream>
#include <utility>

namespace trainscope::cli {

namespace {

struct RemoveOptions : OneRunOptions {
    bool vacuum = false;
};

// Says what the database takes now: "The database takes 1.2 GB, 300 MB less than before."
Outcome vacuum(const DatabaseOptions&, const Console& console, store::Store& store) {
    ASSIGN_OR_RETURN(const auto outcome, store::vacuum(store, shownOn(console)));
    const auto [before, after] = std::pair{outcome.before, outcome.after};
    console.out() << "The database takes " << text::aligned(static_cast<double>(after), "B");
    if (after < before)
        console.out() << ", " << text::aligned(static_cast<double>(before - after), "B")
                      << " less than before.\n";
    else
        console.out() << ", as before.\n";
    return ExitStatus::Done;
}

Outcome removeRun(const RemoveOptions& options, const Console& console, store::Store& store) {
    ASSIGN_OR_RETURN(const auto run, selectRun(store, options.run));
    RETURN_IF_ERROR(store::removeRun(store, run.id, shownOn(console)));
    console.out() << run.name << " was removed.\n";
    return options.vacuum ? vacuum(options, console, store) : ExitStatus::Done;
}

} // namespace

void addRemoveCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("remove", "Remove a run from a database");
    auto options = std::make_shared<RemoveOptions>();
    addDatabase(*command, *options);
    addOption(*command, "--run", options->run, "The run to remove", "N")->required();
    command->add_flag(
        "--vacuum", options->vacuum, "Give the space back to the file system afterwards");
    command->footer(
        R"(The run goes whole or, after Ctrl+C, not at all. Without --vacuum the file keeps
its size, and the next import uses what became free.

Examples:
  trainscope-cli remove runs.trainscope --run gpt3-175b_3_00000
  trainscope-cli remove runs.trainscope --run gpt3-175b_3_00000 --vacuum)");
    runsOnDatabase(*command, context, options, removeRun, store::OpenMode::ReadWrite);
}

void addVacuumCommand(CLI::App& app, CommandContext& context) {
    auto* command
        = app.add_subcommand("vacuum", "Give the space of what was removed back to the system");
    auto options = std::make_shared<DatabaseOptions>();
    addDatabase(*command, *options);
    command->footer(
        R"(Needs free space while it works: what the data takes beside the database, and as much
where temporary files lie (TMPDIR, else /var/tmp). Others may read meanwhile; Ctrl+C leaves
the database as it was.

Examples:
  trainscope-cli vacuum runs.trainscope)");
    runsOnDatabase(*command, context, options, vacuum, store::OpenMode::ReadWrite);
}

} // namespace trainscope::cli
