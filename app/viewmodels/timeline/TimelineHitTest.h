#pragma once
// Item under a point of the drawn timeline. Pure function; any thread.
//
// It is no plot::Picture: its items are the samples and spans of the data that is shown, some
// hundred thousand, which move with every step of the window. Each question is one search in the
// column of its time, while targets would be made anew for every picture of a pan.

#include "core/plot/timeline/TimeScale.h"
#include "core/plot/timeline/Timeline.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::app {

// A stretch in its strip of the head: a phase, a capture or an iteration.
struct StretchHit {
    std::size_t run = 0; // index into the shown runs
    plot::StretchKind kind = plot::StretchKind::Phase;
    std::size_t item = 0; // index among all of its strip
    std::string name; // for an iteration: its number
    plot::ViewWindow stretch;
};

struct TimelineHit {
    int lane = -1; // -1: none
    int item = -1; // index into the lane's series or spans; -1: none
    std::size_t run = 0; // index into the shown runs, with an item
    int rank = -1; // rank of the item, -1: none
    std::optional<store::LodNode> group; // in kernel and thread lanes
    std::optional<StretchHit> stretch; // in the head
    plot::Rect place; // the group or the stretch, as far as the plot shows it
    DurationNs time; // view time under the point
};

using OverlaysPtr = std::shared_ptr<const std::vector<plot::RunOverlay>>;

// One of the stretches that a strip shows.
StretchHit stretchHit(const plot::TimelineData& data, const std::vector<plot::RunOverlay>* overlays,
    const plot::StretchStrip& strip, std::size_t item);

// Line lanes give the series nearest to the point, heat and kernel lanes the row under it. Lanes
// are hidden above `geometry.plot`, where the head is. `overlays`: those of the geometry, whose
// iterations may be found ones; nullptr: none.
TimelineHit hitTest(const plot::TimelineData& data, const plot::TimelineGeometry& geometry,
    const plot::TimeScale& axis, plot::Point point,
    const std::vector<plot::RunOverlay>* overlays = nullptr);

} // namespace trainscope::app
