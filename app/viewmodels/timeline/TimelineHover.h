#pragma once
// Words for the point under the pointer: the series with its value, the span, the throttle
// episodes. Plain functions; GUI thread.

#include "app/viewmodels/timeline/TimelineContext.h"

namespace trainscope::app {

// `overlays` of the shown runs, in their order; nullptr: not shown. `readout`: the value of the
// lane there, empty where it is not known yet. May be empty.
QString hoverText(const TimelineContext& context, const std::vector<plot::RunOverlay>* overlays,
    const TimelineHit& hit, const QString& readout, double y);

} // namespace trainscope::app
