#pragma once
// The statistics of one stored series, by its kind, and how those of several are combined.

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/Summary.h"

namespace trainscope::analysis {

// Values of a series at the two ends of a window, where its samples hardly ever stand: a gauge
// holds its last value, power and counters lie on the line between their samples.
struct WindowEdges {
    TimeRange window;
    std::optional<double> heldAtBegin; // value of the last sample before; absent: there is none
    bool isHeldToEnd = false; // there are samples at or after the end
    // Value of a power or counter, between the samples with a value on both sides; absent without
    // these, where they are farther apart than the gap limit, or where a counter falls there.
    std::optional<double> lineAtBegin;
    std::optional<double> lineAtEnd;
    // Gap limit of the whole series, since the distances between the ends of a short window and its
    // samples tell nothing of the sensor. 0 for series without a line.
    DurationNs gapLimit;
};

Result<WindowEdges> windowEdges(const store::Store& store, const Series& series, TimeRange window,
    const KeepGoing& keepGoing = {});

// Longest time between two samples that is bridged: 10 periods of the series (EnergyIntegral),
// where a period is the time between samples that have a value. Reads the series where many have
// none. The longest time there is where no two samples have one.
Result<DurationNs> gapLimitOf(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing = {});

// The statistics of one stored series, by its kind.
struct SeriesStatistics {
    SubjectStatistics statistics;
    Distribution distribution; // gauge or rate, weighted by time held
    std::optional<EnergyIntegral> energy; // power of a GPU, node or switch, not all missing
};

// The samples in a window count, and what holds at its ends. Reads the series once, and a power
// with a gap again.
Result<SeriesStatistics> seriesStatistics(const store::Store& store, const Series& series,
    const KeepGoing& keepGoing, TimeRange window = kAllTime);

// From the statistics of single series to those of a node or a run.

// Side by side, as GPUs are: mean of means, minimum of minima, maximum of maxima, sum of totals and
// counts. Quantiles cannot be had from quantiles and stay absent, except those of a single series.
SubjectStatistics combined(const std::vector<SubjectStatistics>& parts);

// Brings what is rounded, means and quantiles, into the range of the values.
void keepInRange(SubjectStatistics& statistics);

// As a mask's or state's shares of time: of every name that values bear.
std::map<std::string, double> sharesOf(const Metric& metric, const Distribution& values);

// True for metrics of which the values of several links or sensors add up to the node's: bytes,
// power and energy do; temperatures, fractions and voltages do not.
bool addsUp(const Metric& metric);

// The links of a node together: of what adds up totals and means are summed, and the extremes,
// which are not those of the sum, stay only where there is one link; else as side by side.
SubjectStatistics combinedLinks(const std::vector<SubjectStatistics>& links, const Metric& metric);

// The means there are.
std::vector<double> meansOf(const std::vector<SubjectStatistics>& parts);

} // namespace trainscope::analysis
