#pragma once
// From the statistics of single series to those of a node or a run.

#include "core/analysis/statistics/Summary.h"

#include <vector>

namespace trainscope::analysis {

// Side by side, as GPUs are: mean of means, minimum of minima, maximum of maxima, sum of totals and
// counts. Quantiles cannot be had from quantiles and stay absent, except those of a single series.
SubjectStatistics combined(const std::vector<SubjectStatistics>& parts);

// Adds one more link of a node to what its others gave: totals and means are summed. The extremes
// of a sum are not those of its parts, so they stay only where there is one link.
void addLink(SubjectStatistics& sum, const SubjectStatistics& link);

// The means there are.
std::vector<double> meansOf(const std::vector<SubjectStatistics>& parts);

} // namespace trainscope::analysis
