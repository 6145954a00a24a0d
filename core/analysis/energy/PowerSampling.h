#pragma once
// Periods at which a power was sampled and its sensor updated.

#include "core/model/Result.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <optional>

namespace trainscope::analysis {

// Median sampling period and what follows from it, by one pass over the series.
struct PowerSampling {
    double periodNs = 0.0;
    DurationNs gapLimit; // 10 periods, as for the energy of the summary
    // The update period of the sensor, where it is certain (SensorProbe.h); else the median time
    // between changes of the value, where sensors update more rarely than they are read; beyond
    // kRarestUpdateNs a plateau, then 0.
    double updateNs = 0.0;
    double maxW = 0.0;
    bool isUpdateCertain = false;

    // True where a reading is often the one before again, not a new one of the same value.
    [[nodiscard]] bool isRepeating() const { return isUpdateCertain && updateNs > 1.5 * periodNs; }

    static constexpr double kRarestUpdateNs = 250e6;
};
// Absent for a series with less than two samples.
Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series);

} // namespace trainscope::analysis
