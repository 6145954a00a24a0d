#pragma once
// Times of a rank's trace: on the clock they were recorded with ("own"), and where a view shows
// them. Both are the same unless the shown run has clocks. Pure; any thread.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::plot {

TimeNs shownTime(const ShownRun& run, int rank, TimeNs own);
TimeNs ownTime(const ShownRun& run, int rank, TimeNs shown);
TimeRange shownRange(const ShownRun& run, int rank, const TimeRange& own);
TimeRange ownRange(const ShownRun& run, int rank, const TimeRange& shown);

// From the first sample or span of a run to the last, as shown; absent without any.
std::optional<TimeRange> extentOf(const Catalogue::OfRun& facts, const ShownRun& run);

} // namespace trainscope::plot
