#include "app/cli/options/TraceOptions.h"

#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/catalogue/Tables.h"

namespace trainscope::cli {

namespace {

constexpr double kLongestS = 9e9; // nanoseconds count no further

Status checkTime(const char* option, const std::optional<double>& seconds) {
    if (!seconds || std::abs(*seconds) <= kLongestS)
        return {};
    return usageError(
        fmt::format("{} {} is no time of a run: give seconds since its start.", option, *seconds));
}

DurationNs sinceStart(double seconds) {
    return {static_cast<std::int64_t>(std::llround(seconds * 1e9))};
}

} // namespace

void addWindow(CLI::App& command, WindowOptions& options) {
    addOption(command, "--from", options.fromS,
        "Begin of the part looked at, since the run's start", "S");
    addOption(command, "--to", options.toS, "Its end, since the run's start", "S");
    addCapture(command, options.capture);
    command.get_option("--capture")->excludes("--from")->excludes("--to");
}

void addCapture(CLI::App& command, std::string& capture) {
    addOption(command, "--capture", capture,
        "Only what the profiler recorded as this capture; info lists them", "NAME");
}

Result<TimeRange> givenWindow(const WindowOptions& options, const Run& run) {
    RETURN_IF_ERROR(checkTime("--from", options.fromS));
    RETURN_IF_ERROR(checkTime("--to", options.toS));
    TimeRange window = run.range;
    if (options.fromS)
        window.begin = run.range.begin + sinceStart(*options.fromS);
    if (options.toS)
        window.end = run.range.begin + sinceStart(*options.toS);
    if (window.begin >= window.end || !window.overlaps(run.range))
        return Error{ErrorCode::Usage,
            "The window is empty: --from must lie before --to and before the run's end.", run.name};
    return window;
}

TimeRange RankWindows::of(int rank) const {
    if (capture)
        return capture->of(rank);
    const TimeRange own = analysis::ownWindow(clocks, rank, window);
    return {isOpenAtBegin ? window.begin : own.begin, isOpenAtEnd ? window.end : own.end};
}

std::string RankWindows::wording(const Run& run) const {
    if (capture)
        return capture->wording();
    const std::string stretch = fmt::format("{} to {} of the run, as far as it was traced",
        text::duration(window.begin - run.range.begin),
        text::duration(window.end - run.range.begin));
    return clocks ? stretch + ". " + note() : stretch;
}

std::string RankWindows::note() const {
    if (capture)
        return "Only " + capture->wording() + " counts.";
    return clocks ? fmt::format("The clocks of the ranks differ: the window is on that of rank {} "
                                "(see align).",
               clocks->referenceRank)
                  : std::string();
}

Result<RankWindows> givenWindows(const WindowOptions& options, const store::Store& store,
    const Run& run, const Progress& progress) {
    RankWindows windows;
    if (!options.capture.empty()) {
        ASSIGN_OR_RETURN(
            windows.capture, analysis::captureWindows({store, run, progress}, options.capture));
        windows.window = windows.capture->window;
        return windows;
    }
    ASSIGN_OR_RETURN(windows.window, givenWindow(options, run));
    windows.isOpenAtBegin = !options.fromS;
    windows.isOpenAtEnd = !options.toS;
    if (options.isGiven()) {
        ASSIGN_OR_RETURN(windows.clocks, analysis::differingClocks({store, run, progress}));
    }
    return windows;
}

void addCategories(CLI::App& command, std::string& choice) {
    addOption(command, "--categories", choice,
        "Sort kernels by this table: default, charllm (CharLLM-PPT's classes) or a JSON file",
        "TABLE")
        ->check(suggesting("default charllm"));
}

Result<analysis::KernelCategories> chosenCategories(const std::string& choice) {
    return choice.empty() ? analysis::KernelCategories::fromFolder(catalogue::configFolder())
                          : analysis::KernelCategories::fromChoice(choice);
}

Status keepMissingSums(const OneRunOptions& options, NeededSums needed, const Console& console,
    const Progress& progress) {
    {
        ASSIGN_OR_RETURN(const auto store, openDatabase(options.database));
        ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(store, options.run));
        ASSIGN_OR_RETURN(const auto lacking, analysis::lackingSums({store, run}));
        const bool isEnough = lacking == analysis::LackingSums::None
            || (needed == NeededSums::CallTrees
                && lacking == analysis::LackingSums::AllButCallTrees);
        if (isEnough)
            return {};
    }
    auto writable = store::Store::open(options.database, store::OpenMode::ReadWrite);
    Status kept = writable.hasValue() ? Status() : Status(writable.error());
    if (kept.hasValue()) {
        ASSIGN_OR_RETURN(const auto run, selectRunOrOnly(writable.value(), options.run));
        kept = needed == NeededSums::All ? analysis::keepSums(writable.value(), run, progress)
                                         : analysis::keepCallTrees(writable.value(), run, progress);
    }
    if (!kept.hasValue())
        console.warn("Sums of the traces cannot be kept, so all of the stretch is read: "
            + kept.error().describe());
    return {};
}

} // namespace trainscope::cli
