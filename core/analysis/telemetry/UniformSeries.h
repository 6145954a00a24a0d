#pragma once
// Series resampled at equal steps of time.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

// Values at equal steps of time, SI, NaN where nothing was recorded: what spectra, correlations and
// fits work on.
struct UniformSeries {
    TimeNs begin;
    DurationNs step;
    std::vector<double> values; // the time-weighted mean of each step
    // Mean age of the value of a step: half of the time for which a sample holds. 0 for a counter's
    // rate, which lies between its samples.
    DurationNs age = {};

    [[nodiscard]] TimeNs timeOf(std::size_t i) const {
        return begin + DurationNs{step.ns * static_cast<std::int64_t>(i)};
    }
};

// The usual time between two samples: the median, which holes do not change; the mean where the
// median is not known; 0 where neither is, since all samples are of one moment.
DurationNs samplingPeriod(const Series& series);

// Equal steps over the time that all of the series cover, the last sample included; the step is the
// longest sampling period among them, or longer where there would be more than mostSteps. No
// values: the series have no time in common within the window.
UniformSeries gridOf(
    std::span<const Series> series, std::size_t mostSteps, TimeRange window = kAllTime);

// Those that were recorded about as long as the longest, so that one that broke off early does not
// make the time that all have in common short.
std::vector<Series> recordedThroughout(const std::vector<Series>& series);
// True where the series have nearly as much time in common within the window as the longest of them
// covers; else their sum tells of a part only.
bool haveMostInCommon(std::span<const Series> series, TimeRange window = kAllTime);

// The series on that grid (whose values are ignored); of a counter its rate per second.
Result<UniformSeries> resample(
    const store::Store& store, const Series& series, const UniformSeries& grid);

// The sum of several series of a run on their common grid, NaN where one is missing. They are read
// on the pool of workers. Cancelled by progress.
Result<UniformSeries> sumOf(const RunStudy& study, const std::vector<Series>& series,
    std::size_t mostSteps, TimeRange window = kAllTime);

} // namespace trainscope::analysis
