#pragma once
// Which series of a run speak for which metric and subject.

#include "core/model/Series.h"

#include <map>
#include <string>
#include <vector>

namespace trainscope::analysis {

// "rank 3", "node 0", "node 0, link ib1"
std::string subjectText(const Subject& subject);

// By metric name, each subject once: where sources overlap, the series with more values; one
// warning for a metric says so.
std::map<std::string, std::vector<Series>> seriesByMetric(
    const std::vector<Series>& all, std::vector<std::string>& warnings);

} // namespace trainscope::analysis
