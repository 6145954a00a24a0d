#pragma once
// The energy of nodes and switches beside that of their GPUs.

#include "core/analysis/statistics/Summary.h"

#include <map>
#include <string>

namespace trainscope::analysis {

// Node and GPUs are compared where their coverages differ by no more than this.
inline constexpr double kComparedCoverage = 0.02;

// Fills gpuJoules and restJoules of the nodes that have energy, and the sums of the run. GPUs are
// those of the summary.
void addNodeEnergy(RunSummary& summary, const std::map<std::string, Energy>& switches);

} // namespace trainscope::analysis
