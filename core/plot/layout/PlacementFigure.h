#pragma once
// The diagram of a placement: the machine before and after, nodes with their GPUs as the air passes
// them, the front half above the rear, coloured by the pipeline stage that they serve, and the
// layers of each stage. Pure.

#include "core/analysis/cluster/Placement.h"
#include "core/plot/figures/FigureGeometry.h"

#include <string>
#include <vector>

namespace trainscope::plot {

struct PlacementFigureData {
    RunId run;
    std::string runName;
    std::string title;
    std::string caption; // marked as an estimate
    std::string emptyText; // why there is no placement to draw
    std::optional<analysis::Placement> placement;

    [[nodiscard]] bool isEmpty() const { return !placement; }
};

// A row per GPU: node, slot, half, temperature, lost share, rank, stage and layers before and
// after.
std::string placementCsv(const PlacementFigureData& data);

struct PlacementGeometry {
    PlotScene scene;
    std::vector<Rect> before; // by index in Placement::gpus
    std::vector<Rect> after;
    double preferredHeight = 0.0;
};

PlacementGeometry buildPlacementFigure(const PlacementFigureData& data, const FigureStyle& style);

// A GPU, before or after; its rank is that before. Title: "GPU 3 of node 0, front".
std::optional<FigureHit> hitPlacement(
    const PlacementFigureData& data, const PlacementGeometry& geometry, double x, double y);

} // namespace trainscope::plot
