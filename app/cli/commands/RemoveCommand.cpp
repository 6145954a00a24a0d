#include "app/cli/commands/Command.h"
#include "app/cli/commands/Maintenance.h"
#include "app/cli/console/ProgressLine.h"
#include "app/cli/options/RunSelection.h"
#include "core/store/Writing.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace trainscope::cli {

namespace {

struct RemoveOptions {
    std::string database;
    std::string run;
    bool vacuum = false;
};

ExitStatus removeRun(const RemoveOptions& options, const Console& console) {
    auto store = openDatabase(options.database, store::OpenMode::ReadWrite);
    if (!store.hasValue())
        return console.fail(store.error());
    const auto run = selectRun(store.value(), options.run);
    if (!run.hasValue())
        return console.fail(run.error());
    ProgressLine line(console);
    const Progress progress = shownOn(line, console);
    if (auto status = store::removeRun(store.value(), run.value().id, progress); !status.hasValue())
        return console.fail(status.error());
    line.clear();
    console.out() << run.value().name << " was removed.\n";
    if (!options.vacuum)
        return ExitStatus::Done;
    const auto outcome = store::vacuum(store.value(), progress);
    if (!outcome.hasValue())
        return console.fail(outcome.error());
    line.clear();
    console.out() << vacuumText(outcome.value()) << '\n';
    return ExitStatus::Done;
}

} // namespace

void addRemoveCommand(CLI::App& app, CommandContext& context) {
    auto* command = app.add_subcommand("remove", "Remove a run from a database");
    auto options = std::make_shared<RemoveOptions>();
    command->add_option("DB", options->database, "The run database")->required();
    command->add_option("--run", options->run, "The run to remove")->required()->type_name("N");
    command->add_flag(
        "--vacuum", options->vacuum, "Give the space back to the file system afterwards");
    command->footer(
        R"(The run goes whole or, after Ctrl+C, not at all. Without --vacuum the file keeps
its size, and the next import uses what became free.

Examples:
  trainscope-cli remove runs.trainscope --run gpt3-175b_3_00000
  trainscope-cli remove runs.trainscope --run gpt3-175b_3_00000 --vacuum)");
    command->callback([options, &context] {
        context.action = [options, &context] { return removeRun(*options, context.console); };
    });
}

} // namespace trainscope::cli
