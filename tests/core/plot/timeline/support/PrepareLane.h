#pragma once
// Prepares a lane that no loading made.

#include "core/plot/timeline/LanePrepare.h"

#include <utility>

namespace trainscope::plot {

inline void prepareLane(LaneData& lane, int columns, LoadDetail detail = LoadDetail::Whole) {
    auto series = std::exchange(lane.series, {});
    LanePreparation preparation(lane, columns, series.size(), detail);
    for (auto& one : series)
        preparation.add(std::move(one));
    preparation.finish();
}

} // namespace trainscope::plot
