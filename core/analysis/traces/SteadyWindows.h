#pragma once
// The steady part of a run as the clock of each of its ranks has it.

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/traces/RankWindow.h"

#include <string>

namespace trainscope::analysis {

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
