#pragma once
// Which lane is which when an arrangement changes while its data is already loaded. Plain
// functions; any thread.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::app {

// The same data, whatever its height.
inline bool sameLane(const plot::LaneSpec& a, const plot::LaneSpec& b) {
    return a.style == b.style && a.metric == b.metric && a.rank == b.rank;
}

// Whether every lane of `wanted` is among those of `loaded`.
bool containsLanes(const plot::Arrangement& loaded, const plot::Arrangement& wanted);

// Reorders, resizes and drops the lanes of `data` to what the arrangement says; lanes that are not
// loaded come empty.
void rearrange(plot::TimelineData& data, const plot::Arrangement& arrangement);

} // namespace trainscope::app
