#include "core/plot/figures/ColourScale.h"

#include "core/plot/Palette.h"
#include "core/plot/figures/FigureParts.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr int kBarSteps = 96;

} // namespace

ColorOf scaleColors(const FigureAxis& axis) {
    return isShownAsHeat(axis.metric) ? inferno : viridis;
}

Color scaleColor(const FigureAxis& axis, double value) {
    const double fraction = std::round(fractionOf(axis, value) * kColorSteps) / kColorSteps;
    return isShownAsHeat(axis.metric) ? inferno(fraction) : viridis(fraction);
}

HeatStrip colourStrip(Rect bar, int steps, const ColorOf& color) {
    HeatStrip strip{bar, 1, steps, {}};
    for (int i = 0; i < steps; ++i)
        strip.cells.push_back(color((i + 0.5) / steps));
    return strip;
}

void drawColourScale(const Canvas& canvas, Rect bar, const FigureAxis& axis, int most) {
    const double line = canvas.lineHeight();
    drawColourScale(canvas, bar, axis, most, scaleColors(axis), 0.2 * line, line);
}

double colourScaleFoot(const Canvas& canvas) {
    return 1.2 * canvas.lineHeight();
}

void drawColourScale(const Canvas& canvas, Rect bar, const FigureAxis& axis, int most,
    const ColorOf& color, double tick, double baseline) {
    canvas.scene.items.emplace_back(colourStrip(bar, kBarSteps, color));
    for (const auto& at : ticksOf(axis, most)) {
        const double x = bar.x + bar.width * fractionOf(axis, at.value);
        canvas.line({x, bar.bottom()}, {x, bar.bottom() + tick}, canvas.theme.textMuted);
        canvas.note({x, bar.bottom() + baseline}, at.label, Align::Centre);
    }
}

} // namespace trainscope::plot
