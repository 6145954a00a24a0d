#pragma once
// A traced schedule put together from the numbered passes of its stages: tasks on one axis, the
// plan beside them, and bubbles. Pure; any thread.

#include "core/analysis/schedule/PassOrder.h"
#include "core/analysis/schedule/StageTraces.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/layout/Schedule.h"

#include <optional>

namespace trainscope::analysis {

struct AssemblyRequest {
    const StageTraces& traces; // without their passes
    const StagePasses& passes;
    const PassOrder& order;
    std::optional<layout::ScheduleKind> plan; // absent: the nearest
};

TracedSchedule assembleSchedule(const AssemblyRequest& request);

} // namespace trainscope::analysis
