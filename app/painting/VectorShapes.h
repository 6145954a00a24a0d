#pragma once
// Dense items as shapes for vector files, small enough to be read by everything that opens a
// figure.

#include "core/plot/PlotScene.h"

#include <QPainterPath>

#include <vector>

namespace trainscope::app {

// One closed outline per unbroken stretch of columns.
QPainterPath columnsPath(const plot::Columns& columns);

struct ColoredRect {
    plot::Rect rect;
    plot::Color color;
};
// Equal neighbours of a row merged. Rectangles reach a little under their right and lower
// neighbours, which are painted later, because viewers show a seam between shapes that only touch.
std::vector<ColoredRect> mergedCells(const plot::HeatStrip& strip);

// Diagonal lines of a hatch, cut at the rectangle's edges.
std::vector<std::pair<plot::Point, plot::Point>> hatchLines(const plot::Rect& rect, double spacing);

} // namespace trainscope::app
