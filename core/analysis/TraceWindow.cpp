#include "core/analysis/TraceWindow.h"

#include "core/analysis/IterationsOfRank.h"

#include <algorithm>

namespace trainscope::analysis {

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
        if (isWanted && iteration.range.overlaps(extent) && iteration.range.overlaps(result.range))
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
