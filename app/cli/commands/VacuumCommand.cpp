#include "app/cli/commands/Command.h"
#include "app/cli/commands/Maintenance.h"
#include "app/cli/options/RunSelection.h"
#include "core/store/Writing.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

ExitStatus vacuum(const std::string& database, const Console& console) {
    auto store = openDatabase(database, store::OpenMode::ReadWrite);
    if (!store.hasValue())
        return console.fail(store.error());
    ProgressLine line(console);
    const auto outcome = store::vacuum(store.value(), shownOn(line, console));
    line.clear();
    if (!outcome.hasValue())
        return console.fail(outcome.error());
    console.out() << vacuumText(outcome.value()) << '\n';
    return ExitStatus::Done;
}

} // namespace

void addVacuumCommand(CLI::App& app, CommandContext& context) {
    auto* command
        = app.add_subcommand("vacuum", "Give the space of what was removed back to the system");
    auto database = std::make_shared<std::string>();
    command->add_option("DB", *database, "The run database")->required();
    command->footer(
        R"(Needs free space beside the database, twice what its data takes, while it works.
Others may read meanwhile; Ctrl+C leaves the database as it was.

Examples:
  trainscope-cli vacuum runs.trainscope)");
    command->callback([database, &context] {
        context.action = [database, &context] { return vacuum(*database, context.console); };
    });
}

} // namespace trainscope::cli
