#pragma once
// Item under a point of the drawn timeline. Pure function; any thread.
//
// It is no plot::Picture: its items are the samples and spans of the data that is shown, some
// hundred thousand, which move with every step of the window. Each question is one search in the
// column of its time, while targets would be made anew for every picture of a pan.

#include "core/plot/timeline/TimeScale.h"
#include "core/plot/timeline/Timeline.h"

#include <optional>
#include <string>

namespace trainscope::app {

// A capture or a phase in its strip.
struct CaptureHit {
    std::size_t run = 0; // index into the shown runs
    std::string name;
    plot::ViewWindow stretch;
    bool isPhase = false;
};

struct TimelineHit {
    int lane = -1; // -1: none
    int item = -1; // index into the lane's series or spans; -1: none
    std::size_t run = 0; // index into the shown runs, with an item
    int rank = -1; // of the item, -1: none
    std::optional<store::LodNode> group; // in kernel and thread lanes
    std::optional<CaptureHit> capture; // in the head
    DurationNs time; // view time under the point
};

// Line lanes give the series nearest to the point, heat and kernel lanes the row under it. Lanes
// are hidden above `geometry.plot`, where the head is.
TimelineHit hitTest(const plot::TimelineData& data, const plot::TimelineGeometry& geometry,
    const plot::TimeScale& axis, plot::Point point);

} // namespace trainscope::app
