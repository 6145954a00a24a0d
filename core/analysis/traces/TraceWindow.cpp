#include "core/analysis/traces/TraceWindow.h"

#include "core/analysis/traces/IterationsOfRank.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

// Iterations of the whole run may go on where the trace has ended.
bool isTraced(const Iteration& iteration, TimeRange extent) {
    if (!iteration.range.overlaps(extent))
        return false;
    const TimeRange shared{
        std::max(iteration.range.begin, extent.begin), std::min(iteration.range.end, extent.end)};
    return iteration.rank >= 0 || 2 * shared.length().ns >= iteration.range.length().ns;
}

} // namespace

std::optional<TraceWindow> traceWindow(
    int rank, TimeRange extent, TimeRange window, const IterationChoice& choice) {
    TraceWindow result;
    if (window != kAllTime) {
        const TimeNs begin = std::max(extent.begin, window.begin);
        result.fixed = {begin, std::max(begin, std::min(extent.end, window.end))};
        result.range = *result.fixed;
    }
    for (const Iteration& iteration : iterationsOfRank(choice.all, rank)) {
        const bool isWanted = !choice.only || iteration.index == *choice.only;
        if (isWanted && isTraced(iteration, extent) && iteration.range.overlaps(result.range))
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
