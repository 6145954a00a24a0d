#pragma once
// What a launch configuration says of the layout.

#include "core/layout/Layout.h"
#include "core/model/Run.h"

#include <optional>

namespace trainscope::layout {

// Whether it names any degree of parallelism.
bool saysLayout(const LaunchConfig& launch);

// `worldSize`: ranks of the run where known, else nodes × GPUs per node. Experts fold with ETP 1
// where the configuration leaves ETP out and TP × EP does not fit. Usage error for a rank order or
// list of layers that cannot be read.
Result<LayoutRequest> layoutFromLaunch(const LaunchConfig& launch, std::optional<int> worldSize);

// Micro-batches of a step and data-parallel rank: gradient accumulation, else global batch / (micro
// batch × DP). Absent where that is not known, or no whole number.
std::optional<int> microbatchesOf(const LaunchConfig& launch, int dataParallel);

} // namespace trainscope::layout
