#pragma once
// The diagram of a placement: the machine before and after, nodes with their GPUs as the air passes
// them, the front half above the rear, coloured by the pipeline stage that they serve, and the
// layers of each stage. Pure.

#include "core/analysis/cluster/Placement.h"
#include "core/plot/Sheet.h"

namespace trainscope::plot {

// The caption marks it as an estimate.
struct PlacementFigureData : SheetTexts {
    RunId run;
    std::string runName;
    std::optional<analysis::Placement> placement;

    [[nodiscard]] bool isEmpty() const { return !placement; }
};

// A row per GPU: node, slot, half, temperature, lost share, rank, stage and layers before and
// after.
std::string placementCsv(const PlacementFigureData& data);

// Targets are the GPUs as in Placement::gpus, before and then after; their rank is that before.
// Title: "GPU 3 of node 0, front".
Picture buildPlacementFigure(const PlacementFigureData& data, const FigureStyle& style);

} // namespace trainscope::plot
