#pragma once
// The order of work of a zero-bubble schedule whose model runs down the stages and back up again
// (ZB-V, Qi et al. 2024): each stage has two pieces of the model, the k-th and the k-th from the
// end. Pure; any thread.

#include "core/layout/ScheduleOrder.h"

#include <vector>

namespace trainscope::layout {

// By stage. Greedy, as the pieces' times have it: what is ready is done in the order gradient of
// the inputs, forward, gradient of the weights; the second piece before the first. A stage holds
// the activations of no more than 2 × stages pieces, as much as 1F1B's first one.
std::vector<std::vector<WorkItem>> zeroBubbleVOrders(const ScheduleRequest& request);

} // namespace trainscope::layout
