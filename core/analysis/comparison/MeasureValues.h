#pragma once
// From the analyses of a run's window to the values that are compared, each with its spread or the
// reason why it is absent.

#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/RunDetail.h"

namespace trainscope::analysis {

// Fills values and absentWhy from these and what `measures` has besides.
void fillValues(RunMeasures& measures, const Efficiency& efficiency, const RunDetail& detail);

// What the catalogue says of the run's GPUs, by what was recorded, else by the run's name.
GpuFacts gpuFactsOf(const Run& run);

} // namespace trainscope::analysis
