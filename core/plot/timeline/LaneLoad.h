#pragma once
// Reading one lane of a window.

#include "core/plot/timeline/LaneSelection.h"
#include "core/plot/timeline/Timeline.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace trainscope::plot {

// Everything a lane's reading needs; refers to its owner's values.
struct LaneRequest {
    const store::Store& store;
    const Catalogue& catalogue;
    const std::vector<ShownRun>& runs;
    ViewWindow window;
    int columns = 0;
    const std::function<bool()>& isCancelled;
    LoadDetail detail = LoadDetail::Drawn;
};

Result<LaneData> loadMetricLane(const LaneRequest& request, const LaneSpec& spec);
Result<LaneData> loadSpanLane(const LaneRequest& request, const LaneSpec& spec);

// Completes the buckets of a series: columns between two samples get the held value (`heldAtStart`:
// what held when the window began, NaN for nothing), columns outside the recording or in a hole get
// NaN.
void holdBetweenSamples(
    std::vector<Bucket>& buckets, const Series& series, TimeRange window, double heldAtStart);

} // namespace trainscope::plot
