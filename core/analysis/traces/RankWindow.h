#pragma once
// A stretch of a run's time, and its steady part, as the clock of each of its ranks has it.

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/traces/RankClocks.h"

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

// `window`: from the begin of one of the run's iterations to the end of one, or any other part. A
// rank whose clock differs has it between its own marks of these iterations; where it made none,
// its clock tells. nullptr for the clocks: they agree, and the window is that of all. Pure.
TimeRange ownSteadyWindow(
    const RunIterations& iterations, TimeRange window, const RankClocksPtr& clocks, int rank);

// Steady part of a run's traces; all of them where they have none of it.
struct SteadyTraces {
    RankWindow windowOf = [](int) { return kAllTime; };
    TimeRange window = kAllTime; // on the common clock
    std::string wording; // for people: which part
};
// All of the traces, without work long before the first iteration (EarlyWork.h).
Result<SteadyTraces> countedTraces(const RunStudy& study);
// Cancelled by progress.
Result<SteadyTraces> steadyTraces(const RunStudy& study);

} // namespace trainscope::analysis
