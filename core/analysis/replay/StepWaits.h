#pragma once
// Causes of waiting in a run's steps: who came last to the collectives of a kind and for what
// reason (traces/WaitCauses.h, whose numbers these are), and over whom the waiting was handed on. A
// cause is named only where it explains kNamedCause of the lateness, the rank causes more than
// chance would have it cause, and the lateness is beyond the uncertainty of the clocks.

#include "core/analysis/replay/StepReplay.h"
#include "core/analysis/traces/RankClocks.h"

#include <vector>

namespace trainscope::analysis {

// Names, as a collective, the waiting of ranks without a common clock: what the device of each does
// in an iteration but communicate is held against the others of its stage. All leave an iteration
// together, so that the others wait for the rank whose own part is longest (arXiv 2606.06751).
inline constexpr const char* kOwnStep = "step";

// In the collectives that end in the window of the common clock, which holds so many steps. By
// seconds, most first.
Result<std::vector<StepWait>> stepWaits(
    const RunStudy& study, const RankClocks& clocks, TimeRange window, double steps);

} // namespace trainscope::analysis
