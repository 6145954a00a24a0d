#pragma once
// What is said of the point under the pointer: the series, the span, the throttle episodes. Plain
// functions; GUI thread.

#include "app/viewmodels/timeline/TimelineContext.h"

namespace trainscope::app {

// `overlays` of the shown runs, in their order; nullptr: not shown. May be empty.
QString hoverText(const TimelineContext& context, const std::vector<plot::RunOverlay>* overlays,
    const TimelineHit& hit, double y);

} // namespace trainscope::app
