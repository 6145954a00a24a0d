#pragma once
// Finds the throttle episodes of a run by walking the sensors of each GPU together.

#include "core/analysis/telemetry/ThrottleDetector.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct RankEpisode {
    int rank = 0;
    ThrottleEpisode episode;
};

struct ThrottleSum {
    std::int64_t episodes = 0;
    double gpuSeconds = 0.0;
    double lostGpuSeconds = 0.0;
};

struct Throttling {
    double referenceClockHz = 0.0; // 95th percentile over all GPUs of the run, weighted by time
    double fraction = 0.0; // throttled GPU-seconds / all GPU-seconds of the window
    double lostGpuSeconds = 0.0; // against the reference clock, summed over the GPUs
    std::vector<RankEpisode> episodes; // by time, then rank
    std::map<ThrottleCause, ThrottleSum> causes; // the episodes' by their cause
    // GPU-seconds under each reason that the source's throttle_reasons name, throttled or not;
    // empty without them.
    std::map<std::string, double> reasonSeconds;
    // What decided over causes. Temperatures: of the GPU model. Power: as the run recorded it, else
    // of the GPU model; several where the GPUs differ. Absent: not known, so that only the source's
    // reasons can say thermal or power.
    std::optional<double> slowdownTemperatureC;
    std::optional<double> powerLimitW;
    std::string powerLimitOrigin; // "recorded", "catalogue", empty
};

// The series of one GPU by metric.
using GpuSeries = std::map<std::string, Series>;

// What a GPU may draw: the mean of its recorded power_limit, else its model's.
struct PowerLimit {
    double watts = 0.0;
    bool isRecorded = false;
};
std::optional<PowerLimit> powerLimitOf(const Run& run, const GpuSeries& gpu);

// gpus: by rank. duration: of the window. Absent where no GPU has both sm_clock and
// gpu_utilization; GPUs without them count in the denominator. keepGoing false: Cancelled.
Result<std::optional<Throttling>> scanThrottling(const store::Store& store, const Run& run,
    const std::map<int, GpuSeries>& gpus, TimeRange window, DurationNs duration,
    const std::function<bool()>& keepGoing);

} // namespace trainscope::analysis
