#pragma once
// How runs that are laid over each other are told apart: on the screen by their colours, in print,
// which may be grey, also by lightness and by the pattern of their lines.

#include "core/plot/Canvas.h"

#include <cstddef>

namespace trainscope::plot {

// Whether pictures of that theme are made to be printed: paperTheme().
bool isPrinted(const Theme& theme);

// `base` as the run at that place of a picture has it on `background`, legible there; in print the
// first runs differ in luminance.
Color runInk(Color base, std::size_t place, const Theme& theme, Color background);

// Whether the line of the run at that place is drawn there, `along` in widths of the line: the
// first's everywhere, others' in dashes, dots or both.
bool isInked(std::size_t place, double along);

// For a legend: a piece of that line, from the middle of its left end, in its pattern where it is
// printed.
void drawInkSample(
    const Canvas& canvas, std::size_t place, Point left, double length, double width, Color ink);
// As long as the pattern needs to be told.
double inkSampleLength(const Theme& theme);

} // namespace trainscope::plot
