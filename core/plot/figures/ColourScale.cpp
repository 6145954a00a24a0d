#include "core/plot/figures/ColourScale.h"

#include "core/plot/Palette.h"

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr int kBarSteps = 96;
constexpr double kColorSteps = 128.0;

Color colorAt(const FigureAxis& axis, double fraction) {
    return isShownAsHeat(axis.metric) ? inferno(fraction) : viridis(fraction);
}

} // namespace

Color scaleColor(const FigureAxis& axis, double value) {
    return colorAt(axis, std::round(fractionOf(axis, value) * kColorSteps) / kColorSteps);
}

void drawColourScale(const FigureFrame& frame, Rect bar, const FigureAxis& axis, int most) {
    HeatStrip strip{bar, 1, kBarSteps, {}};
    for (int i = 0; i < kBarSteps; ++i)
        strip.cells.push_back(colorAt(axis, (i + 0.5) / kBarSteps));
    frame.scene.items.emplace_back(std::move(strip));
    const double line = frame.lineHeight(TextRole::Small);
    for (const auto& tick : ticksOf(axis, most)) {
        const double at = bar.x + bar.width * fractionOf(axis, tick.value);
        frame.line({at, bar.bottom()}, {at, bar.bottom() + 0.2 * line}, frame.theme.textMuted,
            frame.theme.lineWidth);
        frame.text({at, bar.bottom() + line}, tick.label, frame.theme.textSecondary,
            TextRole::Small, Align::Centre);
    }
}

double colourScaleFoot(const FigureFrame& frame) {
    return 1.2 * frame.lineHeight(TextRole::Small);
}

} // namespace trainscope::plot
