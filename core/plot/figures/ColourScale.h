#pragma once
// A scale of colours: inferno for temperatures and powers, viridis for other magnitudes, the same
// wherever a value is shown as a colour.

#include "core/plot/Canvas.h"
#include "core/plot/figures/Figure.h"

#include <functional>

namespace trainscope::plot {

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
