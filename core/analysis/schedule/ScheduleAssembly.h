#pragma once
// How long the passes of a traced step take on each piece of the model. Pure; any thread.

#include "core/analysis/schedule/PassOrder.h"
#include "core/analysis/schedule/StageTraces.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/layout/Schedule.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

// Means by piece of the model, as the schedule's kind lays them on the stages; of a piece without
// passes those of all others. Tasks that are cut count only where a piece has no others. Gradients
// of the weights that are done apart count by the backward pass; where none are, inputs' and
// weights' gradients are half of it each.
std::vector<layout::PieceTimes> meanTimes(
    const layout::Schedule& traced, const std::vector<bool>& isCut);

// A traced schedule put together from the numbered passes of its stages: tasks on one axis, the
// plan beside them, and bubbles. Pure; any thread.

struct AssemblyRequest {
    const StageTraces& traces; // without their passes
    const StagePasses& passes;
    const PassOrder& order;
    std::optional<layout::ScheduleKind> plan; // absent: the nearest
};

TracedSchedule assembleSchedule(const AssemblyRequest& request);

} // namespace trainscope::analysis
