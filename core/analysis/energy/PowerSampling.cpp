#include "core/analysis/energy/PowerSampling.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostSamplesProbed = 20'000; // samples: enough to tell the period

} // namespace

Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series) {
    EnergyIntegral integral;
    Distribution updates;
    UpdateProbe probe;
    std::optional<std::pair<TimeNs, double>> last; // change
    RETURN_IF_ERROR(store.forEachSample(series.id, kAllTime, [&](auto times, auto values) {
        integral.add(times, values);
        if (probe.samples() < kMostSamplesProbed)
            probe.add(times, values);
        for (std::size_t i = 0; i < times.size(); ++i) {
            if (std::isnan(values[i]) || (last && values[i] == last->second))
                continue;
            if (last)
                updates.add(static_cast<double>(elapsedNs(last->first, times[i])), 1);
            last = {times[i], values[i]};
        }
        return true;
    }));
    const double limit = integral.gapLimit();
    if (!std::isfinite(limit))
        return std::optional<PowerSampling>();
    double update = updates.median().value_or(0.0);
    if (update > PowerSampling::kRarestUpdateNs)
        update = 0.0;
    const UpdatePeriod measured = probe.result(samplingPeriod(series));
    const bool isCertain = measured.seconds && measured.isCertain;
    if (isCertain)
        update = *measured.seconds * 1e9;
    return std::optional(PowerSampling{limit / EnergyIntegral::kGapPeriods,
        {nearestWhole<std::int64_t>(limit)}, update, series.max, isCertain});
}

} // namespace trainscope::analysis
