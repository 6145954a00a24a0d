#pragma once
// Two columns of numbers against each other, as points or as a line: what a query gives. Points
// that fall on one another are drawn once, and a line keeps the lowest and the highest of each
// pixel, so that the picture does not grow with the rows.

#include "core/plot/figures/Figure.h"

namespace trainscope::plot {

struct ColumnChart : SheetTexts {
    FigureAxis x; // its title is the name of the column
    FigureAxis y;
    std::vector<Point> points; // finite
    bool isLine = false; // joined in order of x
};

// Axes around the points; `unit` of a column that is known to be in seconds or bytes, else empty.
FigureAxis columnAxis(std::string title, std::string unit, const std::vector<double>& values);

// The pointer finds the nearest of all points. Pure; any thread.
Picture buildColumnChart(const ColumnChart& chart, const FigureStyle& style);

// Both columns, full precision.
std::string columnChartCsv(const ColumnChart& chart);

} // namespace trainscope::plot
