#pragma once
// Finds the throttle episodes of a run by walking the sensors of each GPU together.

#include "core/analysis/telemetry/RunDetail.h"
#include "core/model/Series.h"

#include <functional>
#include <map>
#include <string>

namespace trainscope::analysis {

// The series of one GPU by metric.
using GpuSeries = std::map<std::string, Series>;

// gpus: by rank. duration: of the run. Absent where no GPU has both sm_clock and gpu_utilization;
// GPUs without them count in the denominator. keepGoing false: Cancelled.
Result<std::optional<Throttling>> scanThrottling(const store::Store& store, const Run& run,
    const std::map<int, GpuSeries>& gpus, DurationNs duration,
    const std::function<bool()>& keepGoing);

} // namespace trainscope::analysis
