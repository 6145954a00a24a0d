#pragma once
// Commands of the command line: each adds its subcommand with options, help and examples, and
// leaves an action behind when it was chosen. Below the list of commands stands what they share:
// their usual options, and the way to the database and the run that these name.

#include "app/cli/console/Console.h"
#include "app/cli/options/RunSelection.h"
#include "app/cli/text/Json.h"
#include "core/model/Import.h"
#include "core/model/Try.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace trainscope::cli {

class RemoteSources;

struct CommandContext {
    Console& console;
    std::shared_ptr<RemoteSources> remote = {}; // null: `import` reads files alone
    std::function<ExitStatus()> action = {}; // set by the chosen command, run after parsing
};

void addImportCommand(CLI::App& app, CommandContext& context);
void addInfoCommand(CLI::App& app, CommandContext& context);
void addSummaryCommand(CLI::App& app, CommandContext& context);
void addKernelsCommand(CLI::App& app, CommandContext& context);
void addOperatorsCommand(CLI::App& app, CommandContext& context);
void addLayoutCommand(CLI::App& app, CommandContext& context);
void addAlignCommand(CLI::App& app, CommandContext& context);
void addCollectivesCommand(CLI::App& app, CommandContext& context);
void addMemoryCommand(CLI::App& app, CommandContext& context);
void addFindingsCommand(CLI::App& app, CommandContext& context);
void addPlacementCommand(CLI::App& app, CommandContext& context);
void addTopologyCommand(CLI::App& app, CommandContext& context);
void addProfileCommand(CLI::App& app, CommandContext& context);
void addRecordCommand(CLI::App& app, CommandContext& context);
void addCorrelateCommand(CLI::App& app, CommandContext& context);
void addClusterCommand(CLI::App& app, CommandContext& context);
void addPredictCommand(CLI::App& app, CommandContext& context);
void addPowerCommand(CLI::App& app, CommandContext& context);
void addExportCommand(CLI::App& app, CommandContext& context);
void addQueryCommand(CLI::App& app, CommandContext& context);
void addRemoveCommand(CLI::App& app, CommandContext& context);
void addVacuumCommand(CLI::App& app, CommandContext& context);
void addCheckCommand(CLI::App& app, CommandContext& context);
void addDocumentCommand(CLI::App& app, CommandContext& context);

struct DatabaseOptions {
    std::string database;
    bool json = false;
};
struct OneRunOptions : DatabaseOptions {
    std::string run; // empty: the only one
};
struct SomeRunsOptions : DatabaseOptions {
    std::vector<std::string> runs; // none: all
};

// DB, and --run with its help; --json stands last in the help, so that it is added by itself.
void addDatabase(CLI::App& command, DatabaseOptions& options);
void addOneRun(CLI::App& command, OneRunOptions& options);
void addRuns(CLI::App& command, SomeRunsOptions& options, const char* help);
void addRunNames(CLI::App& command, SomeRunsOptions& options, const char* help); // --run alone
void addJson(CLI::App& command, bool& json, const char* help = "Print one JSON object");

// Peak of a network link, as the user says it.
inline std::optional<double> bytesPerSecond(const std::optional<double>& gbitPerSecond) {
    return gbitPerSecond ? std::optional(*gbitPerSecond * 1e9 / 8.0) : std::nullopt;
}

// Goes on until Ctrl+C; and the same with what is done shown on stderr. The console must outlive
// it.
Progress untilCancelled(const Console& console);
Progress shownOn(const Console& console);

// Action of a command that was chosen. An error is told on stderr and decides the status.
using Outcome = Result<ExitStatus>;
void whenChosen(
    CLI::App& command, CommandContext& context, std::function<Outcome(const Console&)> action);

// work(options, console), which returns an Outcome; with the open database behind; with the
// database and the run that the options name.
template <typename Options, typename Work>
void runs(CLI::App& command, CommandContext& context, std::shared_ptr<Options> options, Work work) {
    whenChosen(command, context,
        [options, work](const Console& console) { return work(*options, console); });
}
template <typename Options, typename Work>
void runsOnDatabase(CLI::App& command, CommandContext& context, std::shared_ptr<Options> options,
    Work work, store::OpenMode mode = store::OpenMode::ReadOnly) {
    whenChosen(command, context, [options, work, mode](const Console& console) -> Outcome {
        ASSIGN_OR_RETURN(auto store, openDatabase(options->database, mode));
        return work(*options, console, store);
    });
}
template <typename Options, typename Work>
void runsOnRun(
    CLI::App& command, CommandContext& context, std::shared_ptr<Options> options, Work work) {
    runsOnDatabase(command, context, options,
        [work](
            const Options& chosen, const Console& console, const store::Store& store) -> Outcome {
            ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, chosen.run));
            return work(chosen, console, store, run);
        });
}

// Prints one JSON object, or a text.
template <typename ToJson, typename Print>
ExitStatus show(const Console& console, bool json, const ToJson& toJson, const Print& print) {
    if (json)
        printJson(console.out(), toJson());
    else
        print(console.out());
    return ExitStatus::Done;
}

} // namespace trainscope::cli
