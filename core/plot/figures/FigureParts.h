#pragma once
// Parts that figures share: axes with their ticks and texts, and the drawing of each part.

#include "core/plot/figures/Figure.h"

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

// A scale of colours: inferno for temperatures and powers, viridis for other magnitudes, the same
// wherever a value is shown as a colour.

inline constexpr double kColorSteps = 128.0; // finer than the eye

// Colour at a fraction from 0 to 1 along a scale.
using ColorOf = std::function<Color(double fraction)>;
ColorOf scaleColors(const FigureAxis& axis);

// Clamped to the axis' range. In steps that are finer than the eye, so that equal neighbours merge
// in files.
Color scaleColor(const FigureAxis& axis, double value);

// The colours from the least to the greatest in `bar`.
HeatStrip colourStrip(Rect bar, int steps, const ColorOf& color);

// The same with at most `most` ticks and their texts below it, which take colourScaleFoot().
void drawColourScale(const Canvas& canvas, Rect bar, const FigureAxis& axis, int most);
double colourScaleFoot(const Canvas& canvas);
// `tick`: its length; `baseline`: of the texts, below the bar.
void drawColourScale(const Canvas& canvas, Rect bar, const FigureAxis& axis, int most,
    const ColorOf& color, double tick, double baseline);

} // namespace trainscope::plot
