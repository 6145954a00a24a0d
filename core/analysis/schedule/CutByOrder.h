#pragma once
// Passes of a whole step that annotations do not tell: cut anew by the order of a schedule. All
// passes of a kind on a stage have equally many kernels; how many is what puts the most of the
// moments at which transfers cut the kernels between passes. Pure; any thread.

#include "core/analysis/schedule/PassOrder.h"

#include <vector>

namespace trainscope::analysis {

struct OrderCut {
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward;
    int microbatches = 0;
    bool isEstimated = false; // the number of micro-batches was not known
};

// Where every pass of every traced stage has its kernels' detail, none is annotated and one
// schedule explains them: replaces them by passes that are told. Where nothing tells any kernel, of
// all schedules; where names tell some, of zero-bubble ones alone, whose weight gradients names do
// not tell. Absent, and the passes as they were, where none explains them.
std::optional<OrderCut> cutByOrder(const OrderRequest& request, StagePasses& stages);

} // namespace trainscope::analysis
