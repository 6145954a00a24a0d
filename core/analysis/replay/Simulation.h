#pragma once
// A step graph run again, with the durations that it was measured with or with others. Pure; any
// thread; linear in operations and edges.

#include "core/analysis/replay/StepGraph.h"

namespace trainscope::analysis {

// Costs of a graph's operations, ns, in their order. Changes rewrite them.
struct StepCosts {
    std::vector<std::int64_t> duration;
    std::vector<std::int64_t> delay;
    std::vector<std::int32_t> lag; // by edge
    double hostEdges = 1.0; // share that stays of the host's time at begins and ends of iterations
};
StepCosts measuredCosts(const StepGraph& graph);

// Moments of an operation's start and end as simulated.
struct StepTimes {
    std::vector<std::int64_t> start; // ns behind StepGraph::begin, by operation
    std::vector<std::int64_t> end;
    double hostEdges = 1.0; // as in the costs
};
// `times`: of another simulation of the graph, whose memory is used again.
StepTimes simulate(const StepGraph& graph, const StepCosts& costs, StepTimes times = {});

// Begin (end) of an iteration for a rank, ns behind the graph's begin.
std::int64_t momentOf(const StepTimes& times, const StepBoundary& boundary);
// The one in the middle of these moments over ranks, of an even number the earlier of the two, as
// iterations have it everywhere; there must be one.
const StepBoundary& middleOf(const StepTimes& times, std::span<const StepBoundary> boundaries);
// Length of an iteration in simulated times: from the middle over ranks of its begins to that of
// its ends, s.
double iterationSeconds(const StepTimes& times, const StepIteration& iteration);
// Its mean over the iterations that count; absent where none do.
std::optional<double> meanStepSeconds(const StepGraph& graph, const StepTimes& times);

} // namespace trainscope::analysis
