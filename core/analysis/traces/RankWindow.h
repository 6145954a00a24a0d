#pragma once
// A stretch of a run's time, as the clock of each of its ranks has it.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/RankClocks.h"

#include <functional>
#include <memory>

namespace trainscope::analysis {

// The stretch on the clock of a rank. One that holds all that a device recorded counts as kAllTime
// for it, as where no stretch is given.
using RankWindow = std::function<TimeRange(int rank)>;

using RankClocksPtr = std::shared_ptr<const RankClocks>;

// nullptr where the clocks of the ranks agree, within what is known of them: times are then left
// as they were recorded, here as in all views. Cancelled by progress.
Result<RankClocksPtr> differingClocks(const RunStudy& study);

// A stretch on the reference clock. Ends of kAllTime stay where they are, and so does all of a rank
// whose clock is not known.
TimeRange ownWindow(const RankClocksPtr& clocks, int rank, TimeRange window);
// A stretch of a rank's clock on the reference clock, as it is where that clock is not known.
TimeRange onReference(const RankClocksPtr& clocks, int rank, TimeRange own);
RankWindow ownWindows(RankClocksPtr clocks, TimeRange window);

} // namespace trainscope::analysis
