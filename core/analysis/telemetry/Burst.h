#pragma once
// How unevenly power is drawn over time, design section 5, from the summed power of a cluster on
// equal steps. Steps where power is missing are left out; a ramp needs two neighbours.

#include "core/analysis/telemetry/UniformSeries.h"

#include <cstdint>
#include <optional>

namespace trainscope::analysis {

struct Burst {
    double peakToMean = 0.0;
    double p99ToP50 = 0.0;
    double peak = 0.0; // W
    TimeNs peakAt;
    double maxRampPerS = 0.0; // largest change between neighbouring steps, up or down, W/s
    TimeNs maxRampAt;
};
// Absent without a positive mean.
std::optional<Burst> burstOf(const UniformSeries& signal);

// Times in a row above a limit.
struct Excursions {
    std::int64_t count = 0;
    double seconds = 0.0;
    double longestSeconds = 0.0;
};
Excursions excursionsAbove(const UniformSeries& signal, double limit);

} // namespace trainscope::analysis
