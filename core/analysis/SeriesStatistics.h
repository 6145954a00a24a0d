#pragma once
// The statistics of one stored series, by its kind, in one pass over its samples.

#include "core/analysis/Distribution.h"
#include "core/analysis/Summary.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

#include <functional>

namespace trainscope::analysis {

struct SeriesStatistics {
    SubjectStatistics statistics;
    Distribution distribution; // of a gauge or rate, by time held
};

// Asked for every block of samples; false ends the work with Cancelled.
using KeepGoing = std::function<bool()>;

Result<SeriesStatistics> seriesStatistics(
    const store::Store& store, const Series& series, const KeepGoing& keepGoing);

// Energy of a power series in a run of that length; absent when every sample is missing.
Result<std::optional<Energy>> seriesEnergy(const store::Store& store, const Series& power,
    DurationNs runDuration, const KeepGoing& keepGoing);

} // namespace trainscope::analysis
