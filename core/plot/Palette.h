#pragma once
// Arithmetic on colours: contrast and blending. The contrast ratio is WCAG 2's, from relative
// luminance.

#include "core/model/Span.h"
#include "core/plot/Canvas.h"

namespace trainscope::plot {

// 1 (none) to 21 (black on white).
double contrast(Color a, Color b);
// `fraction` of `over` on top of `under`; opaque.
Color blend(Color under, Color over, double fraction);
// `color`, made darker or lighter until it stands out from `background` by `ratio`. Hue is kept.
Color legibleOn(Color color, Color background, double ratio = 3.0);
// Spans that are not kernels: runtime calls, operators, annotations. Copies and sets look like
// memory kernels.
Color spanKindColor(SpanKind kind);
// Metrics whose magnitudes are coloured with inferno: temperatures and powers; others with viridis.
bool isShownAsHeat(std::string_view metric);

// Colours and line patterns that tell runs apart where they are laid over each other: colours on
// the screen; in print, which may be grey, also lightness and the pattern of the line.

// True for the theme of printed pictures: paperTheme().
bool isPrinted(const Theme& theme);

// `base` as the run at that place of a picture has it on `background`, legible there; in print the
// first runs differ in luminance.
Color runInk(Color base, std::size_t place, const Theme& theme, Color background);

// True where the line of the run at that place is inked, `along` in widths of the line. The first
// run's line is solid; others have dashes, dots or both.
bool isInked(std::size_t place, double along);

// For a legend: a piece of that line, from the middle of its left end, in its pattern where it is
// printed.
void drawInkSample(
    const Canvas& canvas, std::size_t place, Point left, double length, double width, Color ink);
// As long as the pattern needs to be told.
double inkSampleLength(const Theme& theme);

} // namespace trainscope::plot
