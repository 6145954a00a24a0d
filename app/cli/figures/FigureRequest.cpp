#include "app/cli/figures/FigureRequest.h"

#include "app/cli/options/RunSelection.h"
#include "core/figures/timeline/TimelineLoad.h"

#include <algorithm>
#include <cmath>

namespace trainscope::cli {

namespace {

constexpr double kLaneHeight = 120.0;

Result<std::vector<std::string>> runNames(const FigureArguments& arguments) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    std::vector<std::string> names;
    if (arguments.runs.empty()) {
        auto run = selectRunOrOnly(store.value(), {});
        if (!run.hasValue())
            return run.error();
        return std::vector{run.value().name};
    }
    const auto runs = selectRuns(store.value(), arguments.runs);
    if (!runs.hasValue())
        return runs.error();
    for (const Run& run : runs.value())
        names.push_back(run.name);
    return names;
}

Error noSuchMetric(const std::string& metric, const std::vector<plot::LaneChoice>& choices) {
    std::string known;
    for (const auto& choice : choices) {
        if (!choice.lane.metric.empty() && known.find(choice.lane.metric) == std::string::npos)
            known += (known.empty() ? "" : ", ") + choice.lane.metric;
    }
    return {ErrorCode::NotFound,
        "The runs have no metric '" + metric + "'. They have: " + known + ", and kernels.", {}};
}

// Lanes for the metrics asked for; "kernels" is the lane of kernels.
Result<plot::Arrangement> arrangementOf(
    const FigureArguments& arguments, const app::TimelineRequest& request) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto choices = figures::laneChoices(store.value(), request.runs);
    if (!choices.hasValue())
        return choices.error();
    plot::Arrangement arrangement;
    for (const auto& metric : arguments.metrics) {
        const auto& all = choices.value();
        const bool isKernels = metric == "kernels";
        const bool known = isKernels
            || std::any_of(all.begin(), all.end(),
                [&metric](const auto& choice) { return choice.lane.metric == metric; });
        if (!known)
            return noSuchMetric(metric, all);
        arrangement.lanes.push_back({isKernels ? plot::LaneStyle::Kernels : plot::LaneStyle::Lines,
            isKernels ? std::string() : metric, arguments.rank, kLaneHeight});
    }
    if (!arrangement.lanes.empty() || !arguments.rank)
        return arrangement;
    auto standard = figures::defaultArrangement(store.value(), request.runs);
    if (!standard.hasValue())
        return standard.error();
    for (auto& lane : standard.value().lanes)
        lane.rank = arguments.rank;
    return standard;
}

DurationNs fromSeconds(double seconds) {
    return {static_cast<std::int64_t>(std::llround(seconds * 1e9))};
}

// The longest of the runs, for a window that is open at one side.
Result<DurationNs> longestRun(
    const FigureArguments& arguments, const app::TimelineRequest& request) {
    const auto store = openDatabase(arguments.database);
    if (!store.hasValue())
        return store.error();
    const auto runs = store.value().runs();
    if (!runs.hasValue())
        return runs.error();
    DurationNs longest{0};
    for (const Run& run : runs.value()) {
        for (const auto& shown : request.runs) {
            if (shown.id == run.id)
                longest = std::max(longest, run.range.end - shown.origin);
        }
    }
    return longest;
}

} // namespace

Result<app::TimelineRequest> timelineRequest(const FigureArguments& arguments) {
    const auto names = runNames(arguments);
    if (!names.hasValue())
        return names.error();
    auto request = app::timelineOf(arguments.database, names.value());
    if (!request.hasValue())
        return request;
    if (arguments.alignClocks) {
        if (Status status = app::alignClocks(request.value()); !status.hasValue())
            return status.error();
    }
    auto arrangement = arrangementOf(arguments, request.value());
    if (!arrangement.hasValue())
        return arrangement.error();
    request.value().arrangement = std::move(arrangement).value();
    if (!arguments.fromSeconds && !arguments.toSeconds)
        return request;
    const auto longest = longestRun(arguments, request.value());
    if (!longest.hasValue())
        return longest.error();
    request.value().window = {fromSeconds(arguments.fromSeconds.value_or(0.0)),
        arguments.toSeconds ? fromSeconds(*arguments.toSeconds) : longest.value()};
    if (request.value().window.end <= request.value().window.begin)
        return Error{ErrorCode::Usage,
            "The window is empty: --from must lie before --to and before the run's end.", {}};
    return request;
}

} // namespace trainscope::cli
