#pragma once
// A figure's geometry, decided from its data and a size: the scene that is painted, and what lies
// where.

#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"
#include "core/plot/figures/Figure.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::plot {

struct FigureStyle {
    const Theme* theme = nullptr;
    double width = 0.0;
    double height = 0.0; // 0: as tall as the figure wants
    MeasureText measure;
    bool title = true;
    bool caption = true; // with the notes
};

// The item under the pointer.
struct FigureHit {
    Rect outline;
    RunId run;
    std::optional<int> rank;
    std::optional<int> stage;
    std::optional<TimeRange> range; // absolute
    std::string metric; // whose value it is; may be empty
    std::string title; // "gpt3-175b_3_01000 · rank 5"
    std::vector<std::pair<std::string, std::string>> facts; // label, value with unit
    std::optional<std::size_t> choice; // its place among those that the figure offers; absent: none
};

struct FigureGeometry {
    PlotScene scene;
    // Grids of cells of data.heatmaps, in their order.
    std::vector<Rect> cells;
    // Rectangles of single things; the last that contains a point is on top.
    struct Target {
        Rect rect;
        std::size_t panel = 0; // index into data.panels, or data.spectra
        std::size_t set = 0;
        std::size_t category = 0; // or the index of a spectrum's line
    };
    std::vector<Target> targets;
    double preferredHeight = 0.0; // below this, labels are thinned out
};

// Empty data gives its emptyText in the middle. Pure; any thread.
FigureGeometry buildFigure(const FigureData& data, const FigureStyle& style);

// Absent where there is nothing.
std::optional<FigureHit> hitFigure(
    const FigureData& data, const FigureGeometry& geometry, double x, double y);

} // namespace trainscope::plot
