#pragma once
// The kernel time of traced runs by category, rank by rank.

#include "core/figures/runs/RunFigures.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::figures {

// Category → seconds.
using KernelTimes = std::map<std::string, double>;

struct RankTimes {
    int rank = 0;
    std::optional<int> stage;
    KernelTimes whole; // over the whole trace
    KernelTimes perIteration; // mean over its whole iterations; empty: none is known
};
struct CaptureTimes {
    std::string name;
    std::vector<RankTimes> ranks;
};
struct TracedRun {
    FigureSubject subject;
    std::vector<RankTimes> ranks;
    std::vector<CaptureTimes> captures; // in order of time; empty: not asked for, or fewer than two
};

// Each category's mean over all of them; what one lacks counts as 0.
KernelTimes meanOf(const std::vector<const KernelTimes*>& all);

// Those of the runs that have kernels, by the query's table of categories.
Result<std::vector<TracedRun>> readTraces(const FigureContext& context,
    const std::vector<FigureSubject>& subjects, bool withCaptures = false);

} // namespace trainscope::figures
