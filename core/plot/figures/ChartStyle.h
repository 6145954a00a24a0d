#pragma once
// Colours and marks of a figure's sets, the same in every panel and legend.

#include "core/plot/figures/FigureParts.h"

namespace trainscope::plot {

struct SetLook {
    Color fill;
    bool hatched = false; // beside the colour, for print without colour
    bool isPoints = false;
};
SetLook lookOf(const FigureSet& set, const Theme& theme);
Color hatchOn(Color fill);

// The legend of all panels, each set once, wrapped. With draw false only its height.
double drawChartLegend(
    const Canvas& canvas, const FigureData& data, Point at, double width, bool draw);

} // namespace trainscope::plot
