#include "core/analysis/energy/PowerSampling.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostSamplesProbed = 20'000; // samples: enough to tell the period

} // namespace

Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series) {
    constexpr double kLeastRepeated = 1.5; // update periods per sampling period
    EnergyIntegral integral;
    UpdateProbe probe;
    RETURN_IF_ERROR(store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
        integral.add(times, values);
        if (probe.samples() < kMostSamplesProbed)
            probe.add(times, values);
        return true;
    }));
    const double limit = integral.gapLimit();
    if (!std::isfinite(limit))
        return std::optional<PowerSampling>();
    const UpdatePeriod update = probe.result(samplingPeriod(series));
    const bool isRepeating = update.seconds && update.isCertain
        && *update.seconds * 1e9 * EnergyIntegral::kGapPeriods > kLeastRepeated * limit;
    return std::optional(
        PowerSampling{{nearestWhole<std::int64_t>(limit)}, series.max, isRepeating});
}

} // namespace trainscope::analysis
