#pragma once
// The chain of operations and delays that ends a step when it ends, how much shorter a step is
// without those of its parts that take most, and the slack of everything else. Pure; any thread.

#include "core/analysis/replay/Simulation.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/replay/StepReplay.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace trainscope::analysis {

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

} // namespace trainscope::analysis
