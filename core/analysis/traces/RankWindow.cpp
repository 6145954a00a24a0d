#include "core/analysis/traces/RankWindow.h"

#include "core/model/Try.h"

#include <utility>

namespace trainscope::analysis {

Result<RankClocksPtr> differingClocks(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto clocks, alignRanks(study));
    return clocks.agree ? RankClocksPtr() : std::make_shared<const RankClocks>(std::move(clocks));
}

TimeRange ownWindow(const RankClocksPtr& clocks, int rank, TimeRange window) {
    const RankClock* const clock = clocks ? clocks->find(rank) : nullptr;
    if (clock == nullptr)
        return window;
    if (window.begin != kAllTime.begin)
        window.begin = clock->toLocal(window.begin);
    if (window.end != kAllTime.end)
        window.end = clock->toLocal(window.end);
    return window;
}

TimeRange onReference(const RankClocksPtr& clocks, int rank, TimeRange own) {
    const RankClock* const clock = clocks ? clocks->find(rank) : nullptr;
    return clock == nullptr ? own : clock->onReference(own);
}

RankWindow ownWindows(RankClocksPtr clocks, TimeRange window) {
    return
        [clocks = std::move(clocks), window](int rank) { return ownWindow(clocks, rank, window); };
}

} // namespace trainscope::analysis
