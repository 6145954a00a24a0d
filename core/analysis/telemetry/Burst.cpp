#include "core/analysis/telemetry/Burst.h"

#include "core/analysis/statistics/CompensatedSum.h"
#include "core/analysis/statistics/Distribution.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

std::optional<Burst> burstOf(const UniformSeries& signal) {
    Burst burst;
    CompensatedSum sum;
    Distribution distribution;
    std::int64_t known = 0;
    double before = std::nan("");
    for (std::size_t i = 0; i < signal.values.size(); ++i) {
        const double value = signal.values[i];
        const double ramp = std::abs(value - before) / signal.step.seconds();
        before = value;
        if (std::isnan(value))
            continue;
        if (known++ == 0 || value > burst.peak) {
            burst.peak = value;
            burst.peakAt = signal.timeOf(i);
        }
        if (ramp > burst.maxRampPerS) {
            burst.maxRampPerS = ramp;
            burst.maxRampAt = signal.timeOf(i);
        }
        sum.add(value);
        distribution.add(value, 1);
    }
    const double mean = known > 0 ? sum.value() / static_cast<double>(known) : 0.0;
    if (!(mean > 0.0))
        return std::nullopt;
    burst.peakToMean = burst.peak / mean;
    const double middle = distribution.quantile(0.5).value_or(0.0);
    burst.p99ToP50 = middle > 0.0 ? distribution.quantile(0.99).value_or(0.0) / middle : 0.0;
    return burst;
}

Excursions excursionsAbove(const UniformSeries& signal, double limit) {
    Excursions out;
    std::int64_t inRow = 0;
    for (const double value : signal.values) {
        inRow = value > limit ? inRow + 1 : 0;
        out.count += inRow == 1 ? 1 : 0;
        out.seconds += inRow > 0 ? signal.step.seconds() : 0.0;
        out.longestSeconds
            = std::max(out.longestSeconds, static_cast<double>(inRow) * signal.step.seconds());
    }
    return out;
}

} // namespace trainscope::analysis
