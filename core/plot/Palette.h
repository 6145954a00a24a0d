#pragma once
// Arithmetic on colours: contrast and blending. The contrast ratio is WCAG 2's, from relative
// luminance.

#include "core/model/Span.h"
#include "core/plot/PlotScene.h"

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

} // namespace trainscope::plot
