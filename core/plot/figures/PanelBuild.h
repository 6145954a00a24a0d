#pragma once
// One panel of a chart in its place: bars and points for Qt Charts, and ticks, marks and hatches
// around and over them.

#include "core/plot/figures/FigureParts.h"

namespace trainscope::plot {

inline constexpr double kLeastPlot = 2.0; // height of a plot area, in lines of text

// Widths beside the plot area that ticks and their labels need.
struct PanelMargins {
    double left = 0.0;
    double right = 0.0;
};
PanelMargins marginsOf(const Canvas& canvas, const FigurePanel& panel, double height);
double ticksWidth(const Canvas& canvas, const FigureAxis& axis, double height);
// Above the plot area: the titles of the axes.
double panelHead(const Canvas& canvas);

// `plot`: the plot area. Adds a target for each bar and point.
void drawPanel(const Sheet& sheet, const FigureData& data, const FigurePanel& panel, Rect plot);

// Ticks of an axis of that height, in the panel's small text.
int mostTicks(const Canvas& canvas, double height);
// The chart with its grid, on the line of its lower edge.
void addChart(const Canvas& canvas, Chart chart);
ChartAxis chartAxis(const FigureAxis& axis, int most, bool grid);

// Colours and marks of a figure's sets, the same in every panel and legend.

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
