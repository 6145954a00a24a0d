#pragma once
// Commands of the command line, each in the file of its name. Below the list of commands stands
// what they share: their usual options, and the way to the database and the run that these name.
// With it comes what nearly all of them need: options, rows for text and JSON, the console.

#include "app/cli/CommandLine.h"
#include "app/cli/options/AddOption.h"
#include "app/cli/text/Rows.h"
#include "core/model/Import.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/model/Try.h"
#include "core/store/Store.h"

#include <fmt/format.h>

namespace trainscope::importers::topology {
struct TopologyFile;
}

namespace trainscope::cli {

struct CommandContext {
    Console& console;
    const Program& program;
    std::shared_ptr<RemoteSources> remote = {}; // null: `import` reads files alone
    std::function<ExitStatus()> action = {}; // set by the chosen command, run after parsing
};

AddCommand addImportCommand, addInfoCommand, addSummaryCommand, addKernelsCommand,
    addOperatorsCommand, addLayoutCommand, addAlignCommand, addCollectivesCommand, addReplayCommand,
    addMemoryCommand, addFindingsCommand, addHistoryCommand, addOverviewCommand,
    addPlacementCommand, addTopologyCommand, addProfileCommand, addRecordCommand,
    addCorrelateCommand, addClusterCommand, addPredictCommand, addPowerCommand, addExportCommand,
    addQueryCommand, addRemoveCommand, addVacuumCommand, addCheckCommand, addServeCommand,
    addMcpCommand, addDocumentCommand;

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

// A file that does not exist or cannot be read is Unreadable, whatever else is wrong with it
// Refused.
Result<store::Store> openDatabase(
    const std::string& path, store::OpenMode mode = store::OpenMode::ReadOnly);

// The run of that name; else the only one whose last path components are that name ("gpt3_3_00000"
// for "sweep/gpt3/gpt3_3_00000"). NotFound names the runs there are.
Result<Run> selectRun(const store::Store& store, std::string_view name);
// The only run of the database for an empty name; Usage where there are several.
Result<Run> selectRunOrOnly(const store::Store& store, std::string_view name);
// Each of the names once, in their order; all runs for no names.
Result<std::vector<Run>> selectRuns(
    const store::Store& store, const std::vector<std::string>& names);

// A topology file, as commands take it.
Result<importers::topology::TopologyFile> readTopologyFile(const std::string& path);

// DB, and --run with its help; --json stands last in the help, so that it is added by itself.
void addDatabase(CLI::App& command, DatabaseOptions& options);
void addOneRun(CLI::App& command, OneRunOptions& options);
void addRuns(CLI::App& command, SomeRunsOptions& options, const char* help);
void addRunNames(CLI::App& command, SomeRunsOptions& options, const char* help); // --run alone
void addJson(CLI::App& command, bool& json, const char* help = "Print one JSON object");

// A command and its options, which live as long as it: DB, and --run where it is of one run, come
// first. `places`: see setFooter().
template <typename Options>
auto addCommand(
    CLI::App& app, const char* name, const char* text, std::vector<std::string_view> places = {}) {
    auto* command = app.add_subcommand(name, text);
    auto options = std::make_shared<Options>();
    constexpr bool isOfRuns = std::is_base_of_v<SomeRunsOptions, Options>; // says which by itself
    if constexpr (std::is_base_of_v<OneRunOptions, Options>)
        addOneRun(*command, *options);
    else if constexpr (std::is_base_of_v<DatabaseOptions, Options> && !isOfRuns)
        addDatabase(*command, *options);
    setFooter(*command, std::move(places));
    return std::pair(command, std::move(options));
}

std::string hostName(); // this machine

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

// Prints toJson(things…) as one object, or print(out, things…).
template <typename ToJson, typename Print, typename... Things>
ExitStatus show(const Console& console, bool json, const ToJson& toJson, const Print& print,
    const Things&... things) {
    if (json)
        printJson(console.out(), toJson(things...));
    else
        print(console.out(), things...);
    return ExitStatus::Done;
}

} // namespace trainscope::cli
