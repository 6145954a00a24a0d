#pragma once
// Which micro-batch and which piece of the model each pass is of: passes carry no numbers, so the
// order in which a schedule does them tells. Pure; any thread.

#include "core/analysis/schedule/PassCutter.h"
#include "core/layout/Schedule.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

// How much of the step the passes are.
enum class PassExtent {
    Whole,
    Begin, // the first ones: the trace ends before the step does
    End, // the last ones
    Unknown, // no schedule does them in that order
};

struct PassNumber {
    int chunk = 0;
    int microbatch = -1; // not known
};

struct PassOrder {
    PassExtent extent = PassExtent::Unknown;
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward;
    int microbatches = 0; // of the step; 0: not known
    std::vector<std::vector<PassNumber>> numbers; // as the passes
};

struct OrderRequest {
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward; // tried first
    int stages = 1;
    int virtualStages = 1;
    int microbatches = 0; // 0: not known
    int microbatchGroup = 0;
};

// By stage; stages without passes are not traced. Passes that no mark tells (Mark::None) get theirs
// where there are as many as a whole step has.
PassOrder orderOfPasses(const OrderRequest& request, std::vector<std::vector<Pass>>& stages);

} // namespace trainscope::analysis
