#include "app/cli/commands/Command.h"

#include "app/cli/console/ProgressLine.h"
#include "importers/common/Source.h"
#include "importers/topology/TopologyFile.h"

#include <array>
#include <system_error>

#include <unistd.h>

namespace trainscope::cli {

namespace {

constexpr std::size_t kMostRunsListed = 20;

std::string listed(const std::vector<Run>& runs) {
    if (runs.empty())
        return "It holds no runs yet; import something first.";
    std::string text = "Its runs are: ";
    for (std::size_t i = 0; i < std::min(runs.size(), kMostRunsListed); ++i)
        text += (i == 0 ? "" : ", ") + runs[i].name;
    if (runs.size() > kMostRunsListed)
        text += ", and " + std::to_string(runs.size() - kMostRunsListed) + " more";
    return text + ".";
}

bool endsWithComponents(std::string_view name, std::string_view tail) {
    return name.size() > tail.size() && name.ends_with(tail)
        && name[name.size() - tail.size() - 1] == '/';
}

Error notFound(const store::Store& store, std::string_view name, const std::vector<Run>& runs,
    std::size_t matches) {
    std::string message = matches == 0 ? "There is no run '" : "More than one run ends in '";
    message += std::string(name) + "'. " + listed(runs);
    return {ErrorCode::NotFound, message, store.path().string()};
}

} // namespace

Result<store::Store> openDatabase(const std::string& path, store::OpenMode mode) {
    std::error_code problem;
    if (!std::filesystem::exists(path, problem)) {
        const std::string why = problem ? problem.message() : "There is no such file";
        return Error{ErrorCode::Unreadable, why + "; give the path of a run database.", path};
    }
    auto store = store::Store::open(path, mode);
    const bool isFault = !store.hasValue()
        && (store.error().code == ErrorCode::Unreadable || store.error().code == ErrorCode::Io);
    if (!store.hasValue() && !isFault) {
        Error error = store.error();
        error.code = ErrorCode::Refused;
        return error;
    }
    if (store.hasValue())
        store.value().readInBursts();
    return store;
}

Result<Run> selectRun(const store::Store& store, std::string_view name) {
    ASSIGN_OR_RETURN(auto runs, store.runs());
    std::vector<Run> matches;
    for (const Run& run : runs) {
        if (run.name == name)
            return run;
        if (endsWithComponents(run.name, name))
            matches.push_back(run);
    }
    if (matches.size() == 1)
        return matches.front();
    return notFound(store, name, runs, matches.size());
}

Result<Run> selectRunOrOnly(const store::Store& store, std::string_view name) {
    if (!name.empty())
        return selectRun(store, name);
    ASSIGN_OR_RETURN(auto runs, store.runs());
    if (runs.size() == 1)
        return runs.front();
    return Error{
        ErrorCode::Usage, "Say which run with --run NAME. " + listed(runs), store.path().string()};
}

Result<std::vector<Run>> selectRuns(
    const store::Store& store, const std::vector<std::string>& names) {
    if (names.empty())
        return store.runs();
    std::vector<Run> selected;
    for (const auto& name : names) {
        auto run = selectRun(store, name);
        if (!run.hasValue())
            return run.error();
        const auto same = [&run](const Run& other) { return other.id == run.value().id; };
        if (std::none_of(selected.begin(), selected.end(), same))
            selected.push_back(std::move(run).value());
    }
    return selected;
}

Result<importers::topology::TopologyFile> readTopologyFile(const std::string& path) {
    constexpr std::size_t kLargest = std::size_t{64} << 20;
    const auto tree = importers::openDiskTree(path);
    if (!tree.hasValue())
        return Error{ErrorCode::Unreadable, tree.error().message, tree.error().where};
    const auto& files = tree.value()->files();
    if (files.size() != 1)
        return Error{ErrorCode::Unreadable, "A topology is a single file.", path};
    ASSIGN_OR_RETURN(
        const auto text, importers::readHead(*tree.value(), files.front().path, kLargest));
    return importers::topology::readTopology(text, path);
}

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

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
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
