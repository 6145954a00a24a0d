#pragma once
// The sampling of a power, and whether its sensor is updated as often.

#include "core/model/Result.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <optional>

namespace trainscope::analysis {

// Derived from the median sampling period and the update period, by one pass over the series.
struct PowerSampling {
    DurationNs gapLimit; // 10 sampling periods, as for the energy of the summary
    double maxW = 0.0;
    // A reading is often the one before again, not a new one of the same value: the sensor is
    // certain to be updated more rarely than it is read (SensorProbe.h).
    bool isRepeating = false;
};

// Absent for a series with less than two samples.
Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series);

} // namespace trainscope::analysis
