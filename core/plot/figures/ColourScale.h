#pragma once
// A scale of colours: inferno for temperatures and powers, viridis for other magnitudes, the same
// wherever a value is shown as a colour.

#include "core/plot/figures/FigureFrame.h"

namespace trainscope::plot {

// Clamped to the axis' range. In steps that are finer than the eye, so that equal neighbours merge
// in files.
Color scaleColor(const FigureAxis& axis, double value);

// The colours from the least to the greatest value in `bar`, with at most `most` ticks and their
// texts below it, which take colourScaleFoot().
void drawColourScale(const FigureFrame& frame, Rect bar, const FigureAxis& axis, int most);
double colourScaleFoot(const FigureFrame& frame);

} // namespace trainscope::plot
