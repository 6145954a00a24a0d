#pragma once
// How long the passes of a traced step take on each piece of the model. Pure; any thread.

#include "core/layout/Schedule.h"

#include <vector>

namespace trainscope::analysis {

// Means by piece of the model, as the schedule's kind lays them on the stages; of a piece without
// passes those of all others. Tasks that are cut count only where a piece has no others. Gradients
// of the weights that are done apart count by the backward pass; where none are, inputs' and
// weights' gradients are half of it each.
std::vector<layout::PieceTimes> meanTimes(
    const layout::Schedule& traced, const std::vector<bool>& isCut);

} // namespace trainscope::analysis
