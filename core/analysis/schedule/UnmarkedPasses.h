#pragma once
// Passes of a whole step whose kernels nothing tells forward from backward: cut anew by the order
// of a schedule. All forward passes of a stage have equally many kernels, all backward ones too;
// how many is what puts the most of the moments at which transfers cut the kernels between passes.
// Pure; any thread.

#include "core/analysis/schedule/PassOrder.h"

#include <vector>

namespace trainscope::analysis {

// Where every pass of every traced stage is unmarked, has its kernels' times, and one schedule
// explains them: replaces them by marked ones. Needs the number of micro-batches.
void markByOrder(const OrderRequest& request, std::vector<std::vector<Pass>>& stages);

} // namespace trainscope::analysis
