#pragma once
// A comparison's geometry, decided from its data and a width: a board of panels below and beside
// each other, and what lies where. The same for the screen and for files.

#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/figures/FigureGeometry.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::plot {

struct ComparisonStyle {
    const Theme* theme = nullptr;
    double width = 0.0;
    double height = 0.0; // 0, or more than the board wants: as tall as it wants
    MeasureText measure;
    std::vector<ComparisonPanel> panels; // empty: all
    bool stacked = false; // curves below each other instead of over each other
    bool perStage = false; // the step of each pipeline stage beside that of the run
    bool title = true;
    bool notes = true; // below the board
};

struct ComparisonGeometry {
    // An area that can be pointed at; the last that contains a point is on top.
    struct Target {
        Rect rect;
        ComparisonPanel panel = ComparisonPanel::Cards;
        std::size_t item = 0; // quantity, stack, kernel, cell, row
        std::size_t run = 0;
        std::size_t part = 0; // of a stack; of a row of curves: 1 its values, 2 its differences
    };
    struct Place {
        ComparisonPanel panel = ComparisonPanel::Cards;
        Rect rect;
    };
    PlotScene scene;
    std::vector<Place> panels;
    std::vector<Target> targets;
    Rect curves; // plot area of the curves; their differences lie below
    Rect tracks; // of the tracks
};

// Panels without data are left away. Pure; any thread.
ComparisonGeometry buildComparison(const ComparisonData& data, const ComparisonStyle& style);

// The item under the pointer.
struct ComparisonHit : FigureHit {
    ComparisonPanel panel = ComparisonPanel::Cards;
};
// Absent where there is nothing.
std::optional<ComparisonHit> hitComparison(
    const ComparisonData& data, const ComparisonGeometry& geometry, double x, double y);

// "Where the step goes"; "seconds per step, exposed time only".
struct PanelTexts {
    std::string title;
    std::string subtitle;
};
PanelTexts textsOf(const ComparisonData& data, ComparisonPanel panel);

} // namespace trainscope::plot
