#pragma once
// Analyses of a step, each in a source of its own.

#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/analysis/traces/RankClocks.h"

namespace trainscope::analysis {

// The chain of operations and delays that ends a step when it ends, how much shorter a step is
// without those of its parts that take most, and the slack of everything else. Pure; any thread.

// From the end of each iteration that counts back to its begin (those of the rank in the middle, as
// iterationSeconds), each time to what the operation waited for last: its own begin, the last part
// of its group, the edge that came latest. Pieces tile the iterations without a gap. The time
// between the start of a call and that of the kernel that it launched is a delay.
//
// The first `gains` rows of the top, fewer of graphs of millions of operations, say their gain. For
// it every operation of that name and rank takes no time, with all parts of a collective; in rows
// of category "delay" their delay, in those of category "host" both. Without gains no slack either.
inline constexpr std::size_t kMostGains = 10;
CriticalPath criticalPath(const StepGraph& graph, const StepTimes& times, const StepCosts& costs,
    std::size_t gains = kMostGains);

inline constexpr std::int64_t kAnySlack = std::numeric_limits<std::int64_t>::max();
// By how much, ns, each operation may end later without an iteration that counts ending later, all
// others taking what they take. kAnySlack: no such end waits for it.
std::vector<std::int64_t> slackOf(
    const StepGraph& graph, const StepTimes& times, const StepCosts& costs);

// The step in which each operation takes what is usual for its kind, and how much slower the step
// is than that, by part (arXiv 2505.05713, sections 3.2 and 3.3). Pure; any thread.

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

// Causes of waiting in a run's steps: who came last to the collectives of a kind and for what
// reason (traces/WaitCauses.h, whose numbers these are), and over whom the waiting was handed on. A
// cause is named only where it explains kNamedCause of the lateness, the rank causes more than
// chance would have it cause, and the lateness is beyond the uncertainty of the clocks.

// Names, as a collective, the waiting of ranks without a common clock: what the device of each does
// in an iteration but communicate is held against the others of its stage. All leave an iteration
// together, so that the others wait for the rank whose own part is longest (arXiv 2606.06751).
inline constexpr const char* kOwnStep = "step";

// In the collectives that end in the window of the common clock, which holds so many steps. By
// seconds, most first.
Result<std::vector<StepWait>> stepWaits(
    const RunStudy& study, const RankClocks& clocks, TimeRange window, double steps);

} // namespace trainscope::analysis
