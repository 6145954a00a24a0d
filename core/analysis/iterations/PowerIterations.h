#pragma once
// Iterations of a run from the period of its power.

#include "core/model/Import.h"
#include "core/model/Run.h"
#include "core/store/Store.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct PowerIterations {
    std::vector<Iteration> iterations; // numbered from 0, in order of time
    DurationNs step; // of the signal they were found in
    std::string whyNone; // for people, where there are none
};

// Of the summed gpu_power; in large runs of some GPUs, which all wait for one another.
Result<PowerIterations> powerIterations(
    const store::Store& store, RunId run, const Progress& progress);

} // namespace trainscope::analysis
