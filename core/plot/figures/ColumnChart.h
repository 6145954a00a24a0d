#pragma once
// Two columns of numbers against each other, as points or as a line: what a query gives. Points
// that fall on one another are drawn once, and a line keeps the lowest and the highest of each
// pixel, so that the picture does not grow with the rows.

#include "core/plot/figures/FigureGeometry.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::plot {

struct ColumnChart {
    std::string title;
    FigureAxis x; // its title is the name of the column
    FigureAxis y;
    std::vector<Point> points; // finite
    bool isLine = false; // joined in order of x
    std::vector<std::string> notes;
};

// Axes around the points; `unit` of a column that is known to be in seconds or bytes, else empty.
FigureAxis columnAxis(std::string title, std::string unit, const std::vector<double>& values);

struct ColumnChartGeometry {
    PlotScene scene;
    Rect area; // of the points
    double preferredHeight = 0.0;
};
// Pure; any thread.
ColumnChartGeometry buildColumnChart(const ColumnChart& chart, const FigureStyle& style);

// The point next to a place, as near as the pointer can mean.
std::optional<FigureHit> hitColumnChart(
    const ColumnChart& chart, const ColumnChartGeometry& geometry, Point at);

// Both columns, full precision.
std::string columnChartCsv(const ColumnChart& chart);

} // namespace trainscope::plot
