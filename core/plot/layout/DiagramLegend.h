#pragma once
// Legend of a diagram, one line below or above it: the colours of the cells and the marks of
// groups.

#include "core/plot/Canvas.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/PhysicalDiagram.h"

#include <span>

namespace trainscope::plot {

struct DiagramLegend {
    const RankColours* colours = nullptr;
    const layout::Layout* layout = nullptr; // nullptr: not known
    std::vector<LitGroup> groups; // those that are marked
    std::optional<int> rank; // the rank with marked groups
    std::span<const PhysicalEdge> edges; // lines between nodes
};

double legendHeight(const Canvas& canvas, const DiagramLegend& legend, double width);
void drawLegend(const Canvas& canvas, const DiagramLegend& legend, const Rect& area);

} // namespace trainscope::plot
