#pragma once
// The step in which each operation takes what is usual for its kind, and how much slower the step
// is than that, by part (arXiv 2505.05713, sections 3.2 and 3.3). Pure; any thread.

#include "core/analysis/replay/Simulation.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/replay/StepReplay.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::analysis {

// The kind of each operation, from 0. In operation-level traces its name. Else name and place: the
// third of seven calls of that name of a rank in an iteration is of one kind with the third of
// seven elsewhere; where no other rank or iteration has as many, the name alone.
std::vector<std::uint32_t> kindsOf(const StepGraph& graph);

// Usual duration of each operation, ns: the mean of its kind, of transfers (collectives, messages)
// and calls of the host the median, over ranks, micro-batches and iterations that count. Calls that
// are of one kind by their name alone keep theirs.
std::vector<std::int64_t> usualDurations(const StepGraph& graph);

struct IdealStep {
    // With usual durations and delays, in operation-level traces without delays; mean of iterations
    // that count.
    double seconds = 0.0;
    double slowdown = 0.0; // with measured ones, divided by this
    // With measured ones of that rank, stage or kind alone, divided by this. Kinds are the
    // categories; in operation-level traces the names, where sends and receives of a direction are
    // one ("forward-pp-comm"), and ranks are data ranks. Large graphs have the parts that differ
    // most from the usual, as many as a few seconds allow.
    SlowdownBy by;
};
// Absent where no iteration counts or none takes time.
std::optional<IdealStep> idealStep(const StepGraph& graph);

} // namespace trainscope::analysis
