#pragma once
// Chooses the series of a run that speak for each metric and subject.

#include "core/model/Series.h"

#include <map>

namespace trainscope::analysis {

// "rank 3", "node 0", "node 0, link ib1"
std::string subjectText(const Subject& subject);

// True where the first is used rather than the second, which another source recorded of the same
// metric and subject before it: the first has more values.
bool speaksFor(const Series& series, const Series& twin);

// By metric name, each subject once: where sources overlap, the series with more values; one
// warning for the run says so.
std::map<std::string, std::vector<Series>> seriesByMetric(
    const std::vector<Series>& all, std::vector<std::string>& warnings);
// The same without the warnings, which summaries tell.
std::map<std::string, std::vector<Series>> seriesByMetric(const std::vector<Series>& all);

// The series of one GPU by metric.
using GpuSeries = std::map<std::string, Series>;
// Series of GPUs that have values, by rank.
std::map<int, GpuSeries> gpuSeriesByRank(const std::vector<Series>& all);
// The same of one metric alone, in order of the ranks.
std::vector<Series> gpuSeriesOf(const std::map<int, GpuSeries>& gpus, const std::string& metric);

} // namespace trainscope::analysis
