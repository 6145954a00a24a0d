#pragma once
// A lane in one sentence, for people who hear it. Plain function; any thread.

#include "core/plot/timeline/Timeline.h"

#include <QString>

namespace trainscope::app {

// "GPU power, 32 series: 120 W to 713 W, mean 470 W." over the visible columns; kernels: "…, 12
// tracks, 3,456 groups of spans"; without data it says so.
QString laneSummary(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible);

} // namespace trainscope::app
