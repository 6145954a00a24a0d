#pragma once
// Numbers each pass with its micro-batch and its piece of the model: by annotations where these
// number the passes; else by the order in which a schedule does them. Pure; any thread.

#include "core/analysis/schedule/Pass.h"
#include "core/layout/Schedule.h"
#include "core/layout/ScheduleOrder.h"

namespace trainscope::analysis {

using StagePasses = std::vector<std::vector<Pass>>; // by stage; empty: not traced

// Part of the step that the passes are.
enum class PassExtent {
    Whole,
    Begin, // the first ones: the trace ends before the step does
    End, // the last ones
    Part, // neither its begin nor its end
    Unknown, // nothing numbers them
};

struct PassNumber {
    int chunk = 0;
    int microbatch = -1; // not known
};

struct PassOrder {
    PassExtent extent = PassExtent::Unknown;
    // Schedule whose order it is, pass for pass; absent: none that is known.
    std::optional<layout::ScheduleKind> kind;
    int microbatches = 0; // micro-batches in the step; 0: not known
    int virtualStages = 1;
    std::vector<std::vector<PassNumber>> numbers; // as the passes
};

// Its kind is tried first; 0 micro-batches: not known.
using OrderRequest = layout::ScheduleRequest;

// Numbers passes whose kinds are told, or of as many untold ones as a whole step has (these are
// told their kinds). Passes of stages without virtual ones that are as many forward as backward are
// numbered by their count where no schedule does them in that order.
PassOrder orderOfPasses(const OrderRequest& request, StagePasses& stages);

// Reads passes that annotations number, all of them (see numberedPasses()); absent where they
// contradict each other.
std::optional<PassOrder> orderByNames(const OrderRequest& request, const StagePasses& stages);

bool hasWeightPasses(const StagePasses& stages);
// Orders of a whole step that the request leaves open, the likeliest first.
std::vector<layout::ScheduleKind> candidateKinds(const OrderRequest& request, bool hasWeights);
// The orders of a schedule, by stage; empty where it cannot be done with so many micro-batches.
std::vector<std::vector<layout::WorkItem>> ordersOf(
    const OrderRequest& request, layout::ScheduleKind kind, int microbatches);

// Plans of a pipeline's step by one schedule or another, from the lengths of its passes, and the
// plan nearest to the order in which the passes were done. Pure; any thread.

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
