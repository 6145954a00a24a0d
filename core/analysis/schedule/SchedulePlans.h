#pragma once
// Plans of a pipeline's step by one schedule or another, from the lengths of its passes, and the
// plan nearest to the order in which the passes were done. Pure; any thread.

#include "core/layout/Schedule.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

// A step as it was done.
struct DoneStep {
    layout::Schedule schedule; // tasks with their numbers
    std::vector<layout::PieceTimes> times; // mean, by piece of the model
    int microbatchGroup = 0; // interleaved schedules only
};

// The plan of that kind for the same passes. A kind with more pieces a stage than were traced cuts
// each stage's passes into equal ones, one with fewer takes them together; where inputs' and
// weights' gradients were not done apart, each is half of the backward pass. Usage error where the
// kind does not work with so many micro-batches.
Result<layout::Schedule> planOf(const DoneStep& done, layout::ScheduleKind kind);

struct PlanFit {
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward;
    double makespan = 0.0;
    double bubbleFraction = 0.0;
    // The share of pairs of passes on a stage that the plan does in the same order; passes that
    // both have, where the plan has as many pieces a stage as were traced.
    std::optional<double> sameOrder;
};

// Every kind that works with so many micro-batches, the nearest first: by the order of the passes
// where it can be compared, then by the length of the step.
std::vector<PlanFit> fitPlans(const DoneStep& done);

} // namespace trainscope::analysis
