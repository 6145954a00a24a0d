#pragma once
// Scenes made of scenes.

#include "core/plot/PlotScene.h"

#include <cstddef>

namespace trainscope::plot {

// Moves everything that is drawn.
void moveItem(SceneItem& item, double dx, double dy);
// Adds the items of `part`, moved so that its corner lies at `at`; its background stays away.
void appendScene(PlotScene& scene, PlotScene part, Point at);

// Place of a bar in its row.
Rect placeOf(const Bar& bar, const Rect& row);

// Visits the longest stretches [first, end) of 0 to count − 1 in which `isIn` holds.
template <typename IsIn, typename Visit>
void forEachStretch(std::size_t count, const IsIn& isIn, const Visit& visit) {
    for (std::size_t first = 0; first < count; ++first) {
        std::size_t end = first;
        while (end < count && isIn(end))
            ++end;
        if (end > first)
            visit(first, end);
        first = end;
    }
}

} // namespace trainscope::plot
