#include "app/cli/commands/Command.h"
#include "core/store/Writing.h"

namespace trainscope::cli {

namespace {

struct RemoveOptions : DatabaseOptions {
    std::string run;
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
    const auto [command, options]
        = addCommand<RemoveOptions>(app, "remove", "Remove a run from a database");
    addOption(*command, "--run", options->run, "The run to remove", "N")->required();
    command->add_flag(
        "--vacuum", options->vacuum, "Give the space back to the file system afterwards");
    runsOnDatabase(*command, context, options, removeRun, store::OpenMode::ReadWrite);
}

void addVacuumCommand(CLI::App& app, CommandContext& context) {
    const auto [command, options] = addCommand<DatabaseOptions>(
        app, "vacuum", "Give the space of what was removed back to the system");
    runsOnDatabase(*command, context, options, vacuum, store::OpenMode::ReadWrite);
}

} // namespace trainscope::cli
