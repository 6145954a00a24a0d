#pragma once
// The logical diagram of a layout: a row per pipeline stage, in it the data-parallel replicas (and
// context-parallel parts) as blocks of tensor-parallel ranks; a cell per rank. Pure; any thread.

#include "core/layout/Layout.h"
#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

#include <optional>
#include <vector>

namespace trainscope::plot {

// What a cell's colour says.
enum class RankColour { Value, Tensor, Context, Expert, Data, Pipeline, Node };

struct RankGridData {
    const layout::Layout* layout = nullptr;
    RankColour colour = RankColour::Pipeline;
    // With Value: by rank, absent where there is none, on a scale from low to high.
    std::vector<std::optional<double>> values;
    double low = 0.0;
    double high = 1.0;
    bool isHeat = false; // inferno instead of viridis
    // A rank whose groups are lit: all others fade.
    std::optional<int> rank;
    std::optional<layout::GroupKind> group; // only this one; all of the rank's dimensions without
};

struct DiagramStyle {
    const Theme* theme = nullptr;
    double width = 0.0;
    double height = 0.0;
    MeasureText measure;
};

struct RankGridDiagram {
    PlotScene scene;
    std::vector<Rect> cells; // by rank; they do not overlap
};

RankGridDiagram buildRankGrid(const RankGridData& data, const DiagramStyle& style);

std::optional<int> rankAt(const RankGridDiagram& diagram, double x, double y);

} // namespace trainscope::plot
