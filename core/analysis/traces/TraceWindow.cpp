#include "core/analysis/traces/TraceWindow.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <iterator>

namespace trainscope::analysis {

namespace {

// Iterations of the whole run may go on where the trace has ended.
bool isTraced(const Iteration& iteration, std::span<const TimeRange> traced, double least) {
    const TimeRange extent{traced.front().begin, traced.back().end};
    if (!iteration.range.overlaps(extent))
        return false;
    return iteration.rank >= 0
        || lengthOf(shared(traced, iteration.range)).seconds()
        >= least * iteration.range.length().seconds();
}

} // namespace

std::vector<Iteration> iterationsOfRank(std::span<const Iteration> iterations, int rank) {
    constexpr int kNobody = std::numeric_limits<int>::max();
    int source = kNobody;
    for (const Iteration& iteration : iterations) {
        if (iteration.rank == rank) {
            source = rank;
            break;
        }
        source = std::min(source, iteration.rank); // -1, the whole run, is the lowest
    }
    std::vector<Iteration> result;
    std::ranges::copy_if(iterations, std::back_inserter(result),
        [&](const Iteration& iteration) { return iteration.rank == source; });
    std::ranges::stable_sort(result, {}, [](const Iteration& one) { return one.range.begin; });
    return result;
}

DurationNs TraceWindow::tracedIn(TimeRange window) const {
    return lengthOf(shared(captures, window));
}

IterationChoice tracedIterations(IterationChoice choice, std::span<const TimeRange> traced) {
    std::erase_if(choice.all, [&](const Iteration& one) {
        return one.rank < 0 && (traced.empty() || !isTraced(one, traced, kCoveredByTrace));
    });
    return choice;
}

std::optional<TraceWindow> traceWindow(int rank, std::span<const TimeRange> captures,
    TimeRange window, const IterationChoice& choice) {
    TraceWindow result;
    result.captures.assign(captures.begin(), captures.end());
    const TimeRange extent{captures.front().begin, captures.back().end};
    if (window != kAllTime) {
        const TimeNs begin = std::max(extent.begin, window.begin);
        result.fixed = {begin, std::max(begin, std::min(extent.end, window.end))};
        result.range = *result.fixed;
        result.captures = shared(captures, *result.fixed);
    }
    for (Iteration iteration : iterationsOfRank(choice.all, rank)) {
        const bool isWanted = !choice.only || iteration.index == *choice.only;
        if (!isWanted || !isTraced(iteration, captures, kCoveredOnDevice)
            || !iteration.range.overlaps(result.range))
            continue;
        iteration.range = shared(iteration.range, window);
        if (iteration.range.begin
            <= iteration.range.end) // else the trace touches it, not the window
            result.iterations.push_back(iteration);
    }
    if (!choice.only)
        return result;
    if (result.iterations.empty())
        return std::nullopt;
    result.fixed = result.iterations.front().range;
    result.range = *result.fixed;
    result.captures = {*result.fixed}; // from its begin on, before any work
    return result;
}

} // namespace trainscope::analysis
