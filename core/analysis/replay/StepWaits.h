#pragma once
// Why ranks wait in a run's steps: who came last to the collectives of a kind and for what reason
// (traces/WaitCauses.h, whose numbers these are), and over whom the waiting was handed on. A cause
// is named only where it explains kNamedCause of the lateness, the rank causes more than chance
// would have it cause, and the lateness is beyond the uncertainty of the clocks.

#include "core/analysis/replay/StepReplay.h"
#include "core/analysis/traces/RankClocks.h"

#include <vector>

namespace trainscope::analysis {

// In the collectives that end in the window of the common clock, which holds so many steps; of
// ranks without a common clock, by the account of their own steps. By seconds, most first.
Result<std::vector<StepWait>> stepWaits(
    const RunStudy& study, const RankClocks& clocks, TimeRange window, double steps);

// The collective of such rows.
inline constexpr const char* kOwnStep = "step";
// For ranks without a common clock, each on its own: what a rank's device does in an iteration but
// communicate (computing, copies, waiting for the host, idle time) is held against the others of
// its stage in the iteration of that number. All leave it together, so that the others wait for the
// rank whose own part is longest (arXiv 2606.06751). Windows are each rank's own;
// the longest part of an iteration stands for its place in the step.
Result<std::vector<StepWait>> waitsByAccount(
    const RunStudy& study, const std::vector<int>& ranks, TimeRange window);

} // namespace trainscope::analysis
