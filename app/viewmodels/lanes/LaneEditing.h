#pragma once
// Changes of an arrangement, as pure functions: they return the new one, or the old one where a
// change makes no sense. Indices are positions of lanes.

#include "core/plot/timeline/Timeline.h"

#include <vector>

namespace trainscope::app {

constexpr double kLeastLaneHeight = 32.0;
constexpr double kMostLaneHeight = 1600.0;

plot::Arrangement withLane(plot::Arrangement from, const plot::LaneSpec& lane, int at);
plot::Arrangement withoutLane(plot::Arrangement from, int lane);
plot::Arrangement withLaneMoved(plot::Arrangement from, int lane, int to);
// Fixed: the other lanes share what is left.
plot::Arrangement withLaneHeight(plot::Arrangement from, int lane, double height);
// The lane shares the window's height again, with that wish.
plot::Arrangement withLaneShared(plot::Arrangement from, int lane, double wish);
// Lines, Band and Heat are styles of the same lane; kernels and threads have one style only.
plot::Arrangement withLaneStyle(plot::Arrangement from, int lane, plot::LaneStyle style);
// One lane per rank in the place of one lane with all of them.
plot::Arrangement withLaneSplit(plot::Arrangement from, int lane, const std::vector<int>& ranks);
// One lane with all ranks in the place of all lanes that show single ranks of the same metric and
// style.
plot::Arrangement withLanesMerged(plot::Arrangement from, int lane);

bool hasStyles(const plot::LaneSpec& lane);

// True for the same lane when an arrangement changes while its data is already loaded: the same
// data, whatever its height.
inline bool sameLane(const plot::LaneSpec& a, const plot::LaneSpec& b) {
    return a.style == b.style && a.metric == b.metric && a.rank == b.rank;
}

// True where every lane of `wanted` is among those of `loaded`.
bool containsLanes(const plot::Arrangement& loaded, const plot::Arrangement& wanted);

// Reorders, resizes and drops the lanes of `data` to what the arrangement says; lanes that are not
// loaded come empty.
void rearrange(plot::TimelineData& data, const plot::Arrangement& arrangement);

} // namespace trainscope::app
