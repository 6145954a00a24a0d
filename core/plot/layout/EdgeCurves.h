#pragma once
// The lines between nodes: arcs below a row of nodes, curves between rows, as wide as their bytes.
// Pure.

#include "core/plot/layout/NodeArrangement.h"
#include "core/plot/layout/PhysicalDiagram.h"

namespace trainscope::plot {

// A line between two nodes, as drawn.
struct EdgeCurve {
    std::size_t edge = 0; // index into the data's
    std::vector<Point> points;
    double width = 0.0;
};

// Lines of the greatest of the data's edges between boxes `nodes` (as in the cluster), widest
// first.
std::vector<EdgeCurve> edgeCurves(const PhysicalData& data, const std::vector<Rect>& nodes,
    const NodeArrangement& arrangement, const FigureStyle& style);

} // namespace trainscope::plot
