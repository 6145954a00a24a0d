#pragma once
// Parts that figures share: axes with their ticks and texts, and the drawing of each part.

#include "core/plot/Sheet.h"
#include "core/plot/figures/Figure.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::plot {

std::vector<std::string> linesOf(std::string_view text);

// Every how many-th of labels of that extent fits without touching its neighbour.
std::size_t labelStep(double extent, double distance);

// An axis' ticks within its range.
std::vector<ValueTick> ticksOf(const FigureAxis& axis, int most);
// Place of a value on the axis, 0 to 1; clamped.
double fractionOf(const FigureAxis& axis, double value);
// "GPU temperature (°C)".
std::string axisTitle(const FigureAxis& axis);
// "61.2 °C", "—" for absent.
std::string valueText(const FigureAxis& axis, const std::optional<double>& value);

// Vertical grid lines at an axis' ticks, at most so many, with their texts below the plot.
void drawGrid(const Canvas& canvas, const FigureAxis& axis, Rect plot, int mostTicks = 10);
double gridHeight(const Canvas& canvas); // their height

// Each part: the height it wants, and its drawing into an area of at least that width.
double heatmapsHeight(const Canvas& canvas, const FigureData& data);
void drawHeatmaps(const Sheet& sheet, const FigureData& data, Rect area);
double panelsHeight(const Canvas& canvas, const FigureData& data, double width);
void drawPanels(const Sheet& sheet, const FigureData& data, Rect area);
double spectraHeight(const Canvas& canvas, const FigureData& data);
void drawSpectra(const Sheet& sheet, const FigureData& data, Rect area);

} // namespace trainscope::plot
