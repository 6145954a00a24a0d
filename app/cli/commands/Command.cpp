#include "app/cli/commands/Command.h"
#include "app/cli/console/ProgressLine.h"

namespace trainscope::cli {

void addDatabase(CLI::App& command, DatabaseOptions& options) {
    command.add_option("DB", options.database, "The run database")->required();
}

void addOneRun(CLI::App& command, OneRunOptions& options) {
    addDatabase(command, options);
    addOption(
        command, "--run", options.run, "The run; may be left out where there is only one", "N");
}

void addRuns(CLI::App& command, SomeRunsOptions& options, const char* help) {
    addDatabase(command, options);
    addRunNames(command, options, help);
}

void addRunNames(CLI::App& command, SomeRunsOptions& options, const char* help) {
    addOption(command, "--run", options.runs, help, "N")->expected(1)->take_all();
}

void addJson(CLI::App& command, bool& json, const char* help) {
    command.add_flag("--json", json, help);
}

Progress untilCancelled(const Console& console) {
    return [&console](const ProgressState&) { return !console.isCancelled(); };
}

Progress shownOn(const Console& console) {
    return [line = std::make_shared<ProgressLine>(console), &console](const ProgressState& state) {
        line->updateCount(state.phase, state.bytesDone, state.bytesTotal);
        return !console.isCancelled();
    };
}

void whenChosen(
    CLI::App& command, CommandContext& context, std::function<Outcome(const Console&)> action) {
    command.callback([&context, action = std::move(action)] {
        context.action = [&console = context.console, action] {
            const Outcome outcome = action(console);
            return outcome.hasValue() ? outcome.value() : console.fail(outcome.error());
        };
    });
}

} // namespace trainscope::cli
