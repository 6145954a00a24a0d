#include "core/analysis/traces/TraceWindow.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace trainscope::analysis {

namespace {

// Iterations of the whole run may go on where the trace has ended.
bool isTraced(const Iteration& iteration, TimeRange extent, double least) {
    if (!iteration.range.overlaps(extent))
        return false;
    return iteration.rank >= 0
        || shared(iteration.range, extent).length().seconds()
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
    std::copy_if(iterations.begin(), iterations.end(), std::back_inserter(result),
        [&](const Iteration& iteration) { return iteration.rank == source; });
    std::stable_sort(result.begin(), result.end(),
        [](const Iteration& a, const Iteration& b) { return a.range.begin < b.range.begin; });
    return result;
}

IterationChoice tracedIterations(IterationChoice choice, TimeRange extent) {
    std::erase_if(choice.all, [&](const Iteration& one) {
        return one.rank < 0 && !isTraced(one, extent, kCoveredByTrace);
    });
    return choice;
}

std::optional<TraceWindow> traceWindow(
    int rank, TimeRange extent, TimeRange window, const IterationChoice& choice) {
    TraceWindow result;
    if (window != kAllTime) {
        const TimeNs begin = std::max(extent.begin, window.begin);
        result.fixed = {begin, std::max(begin, std::min(extent.end, window.end))};
        result.range = *result.fixed;
    }
    for (Iteration iteration : iterationsOfRank(choice.all, rank)) {
        const bool isWanted = !choice.only || iteration.index == *choice.only;
        if (!isWanted || !isTraced(iteration, extent, kCoveredOnDevice)
            || !iteration.range.overlaps(result.range))
            continue;
        iteration.range = shared(iteration.range, window);
        result.iterations.push_back(iteration);
    }
    if (!choice.only)
        return result;
    if (result.iterations.empty())
        return std::nullopt;
    result.fixed = result.iterations.front().range;
    result.range = *result.fixed;
    return result;
}

} // namespace trainscope::analysis
