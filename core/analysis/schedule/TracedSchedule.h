#pragma once
// The pipeline of one iteration as its traces show it, beside the plan: which stage worked on which
// micro-batch from when to when, and how long it stood still.
//
// One traced rank speaks for each stage, all of one pipeline group where there is such. Its passes
// are cut out of its kernels (StageTraces.cpp) and numbered by the order of the schedule
// (PassOrder.h); the clocks of the ranks are put on one (RankClocks.h). A bubble is time in
// the window in which no pass runs on a stage: it is idle, or waits in a transfer. The plan has the
// mean durations of the traced passes of each stage and piece, and sends in no time; it begins with
// the traced step, or ends with it where only its end was traced. Recomputed activations are part
// of the backward pass that needs them.

#include "core/analysis/RunStudy.h"
#include "core/analysis/schedule/PassOrder.h"
#include "core/layout/Schedule.h"

namespace trainscope::analysis {

struct StageBubble {
    int rank = -1; // rank that speaks for the stage; -1: none was traced
    std::optional<double> traced; // share of the window
    std::optional<double> planned; // share of the same window, or of a whole step of the plan's own
};

struct TracedSchedule {
    // Seconds since `begin`; a micro-batch is -1 where its number cannot be told. makespan and
    // bubbles are those of the window. Its kind is that of the nearest plan.
    layout::Schedule traced;
    bool isKnownOrder = false; // the passes come in the order of that kind, pass for pass
    bool isEstimated = false; // the number of micro-batches follows from the transfers alone
    std::optional<layout::Schedule> planned; // on the same axis; its own makespan and bubbles
    std::vector<PlanFit> plans; // plans for a whole step, the nearest first
    TimeNs begin; // on the reference clock: start of the first pass
    std::optional<std::int64_t> iteration; // absent: the traces show no iterations
    bool isWhole = false; // all passes of the step were traced
    double windowFrom = 0.0; // seconds: where bubbles are measured
    double windowTo = 0.0;
    std::vector<StageBubble> stages;
    double tracedBubble = 0.0; // mean of the traced stages
    std::optional<double> plannedBubble; // mean of the same stages
    std::optional<double> idealBubble; // for the whole step with equal stages
    std::string basis; // evidence for passes and layout, for people
    std::vector<std::string> notes; // missing data, in sentences
};

struct TraceQuery {
    std::optional<std::int64_t> iteration; // absent: the one with most of it traced
    std::optional<layout::ScheduleKind> plan; // absent: the nearest to the passes' order
};

// NotFound says what is missing: stages, traces, the iteration, or what would tell forward from
// backward. Cancelled by progress.
Result<TracedSchedule> tracedSchedule(const RunStudy& study, const TraceQuery& query = {});

// Names the plan nearest to the passes, and the time that the step takes beyond it; for people.
// Empty where there is no plan.
std::string planSentence(const TracedSchedule& schedule);

struct TracedIteration {
    std::int64_t index = 0;
    DurationNs duration; // mean of the stages that show it
    bool isWhole = false; // all stages that are traced show all of it
};

// Iterations of which passes were traced, by index; empty without traces of stages.
Result<std::vector<TracedIteration>> tracedIterations(const RunStudy& study);

} // namespace trainscope::analysis
