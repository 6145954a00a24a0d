#pragma once
// The stragglers of a run: the ranks whose doing so much of the waiting is that it is no chance,
// and what of the GPUs' idle time and exposed communication their lateness explains. Pure.

#include "core/analysis/findings/RunFacts.h"
#include "core/analysis/traces/WaitCauses.h"

#include <vector>

namespace trainscope::analysis {

// By the waiting that is their doing, most first. A rank is one where its share is at least
// kStragglerShare and exceeds the mean of the ranks that cause no more than it by
// kStragglerOverFair, and its waiting is at least kStragglerWait of the traced time.
std::vector<const WaitCause*> stragglersOf(const RunFacts& facts);

// The traced devices without the time that the stragglers explain: what others waited for them
// exposed, what those could not have used as they waited anyway, and the idle time that made the
// stragglers late.
std::vector<TracedDevice> withoutStragglers(const RunFacts& facts);

} // namespace trainscope::analysis
