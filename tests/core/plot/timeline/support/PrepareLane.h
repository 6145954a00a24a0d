#pragma once
// Prepares a lane that no loading made.

#include "core/plot/timeline/LanePrepare.h"

#include <utility>

namespace trainscope::plot {

inline void prepareLane(LaneData& lane, int columns, LoadDetail detail = LoadDetail::Whole) {
    auto series = std::exchange(lane.series, {});
    const auto of = series.empty() ? SubjectKind::Gpu : series.front().subject.kind;
    LanePreparation preparation(
        lane, drawnStyle(lane.spec.style, series.size(), of), columns, series.size(), detail);
    for (auto& one : series)
        preparation.add(std::move(one));
    preparation.finish();
}

} // namespace trainscope::plot
