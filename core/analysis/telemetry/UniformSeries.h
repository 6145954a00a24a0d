#pragma once
// Values at equal steps of time, SI, NaN where nothing was recorded: what spectra, correlations and
// fits work on.

#include "core/model/Import.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <span>
#include <vector>

namespace trainscope::analysis {

struct UniformSeries {
    TimeNs begin;
    DurationNs step;
    std::vector<double> values; // the time-weighted mean of each step

    [[nodiscard]] TimeNs timeOf(std::size_t i) const {
        return begin + DurationNs{step.ns * static_cast<std::int64_t>(i)};
    }
};

// The usual time between two samples: the median, which holes do not change; the mean where the
// median is not known.
DurationNs samplingPeriod(const Series& series);

// Equal steps over the time that all of the series cover, the last sample included; the step is the
// longest sampling period among them, or longer where there would be more than mostSteps. No
// values: the series have no time in common within the window.
UniformSeries gridOf(
    std::span<const Series> series, std::size_t mostSteps, TimeRange window = kAllTime);

// The series on that grid (whose values are ignored).
Result<UniformSeries> resample(
    const store::Store& store, const Series& series, const UniformSeries& grid);

// The sum of several series on their common grid, NaN where one is missing.
Result<UniformSeries> sumOf(const store::Store& store, std::span<const Series> series,
    std::size_t mostSteps, TimeRange window = kAllTime, const Progress& progress = {});

} // namespace trainscope::analysis
