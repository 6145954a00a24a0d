#include "core/plot/comparison/ComparisonFrame.h"

#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kTextContrast = 4.5;
constexpr double kColorSteps = 128.0;
constexpr double kTickDistance = 6.0; // in sizes of the text

} // namespace

Color ComparisonFrame::fillOf(std::size_t run) const {
    return seriesColor(data.runs[run].color);
}

Color ComparisonFrame::inkOf(std::size_t run) const {
    return legibleOn(fillOf(run), paper(), kTextContrast);
}

std::string ComparisonFrame::fitted(
    const std::string& text, double width, TextRole role, bool bold) const {
    // Room that was measured by the text itself holds it.
    return elided(text, width + 0.01, style.measure, role, bold);
}

void ComparisonFrame::target(
    Rect rect, ComparisonPanel panel, std::size_t item, std::size_t run, std::size_t part) const {
    geometry.targets.push_back({rect, panel, item, run, part});
}

void drawTimeTicks(
    const ComparisonFrame& frame, Rect plot, double from, double to, AxisTicks ticks) {
    if (!(to > from))
        return;
    const text::ShownUnit unit = ticks == AxisTicks::Shares
        ? text::ShownUnit{"%", 100.0}
        : text::shownUnit("s", std::max(std::abs(from), std::abs(to)));
    const int most = std::clamp(
        static_cast<int>(plot.width / (kTickDistance * frame.draw.size(TextRole::Small))), 2, 12);
    for (const auto& tick : valueTicks(from, to, unit.scale, most)) {
        const double x = plot.x + plot.width * (tick.value - from) / (to - from);
        frame.draw.line(
            {x, plot.y}, {x, plot.bottom()}, frame.theme().grid, frame.theme().lineWidth);
        frame.draw.text({x, plot.bottom() + frame.draw.size(TextRole::Small) + 0.75 * frame.gap()},
            tick.label + " " + unit.unit, frame.theme().textSecondary, TextRole::Small,
            Align::Centre);
    }
}

double colorBarHeight(const ComparisonFrame& frame) {
    return 2.0 * frame.gap() + frame.line() + 2.0 * frame.gap();
}

void drawColorBar(
    const ComparisonFrame& frame, const FigureAxis& axis, const ColorOf& color, Rect area) {
    constexpr int steps = 96;
    constexpr double widest = 20.0; // in sizes of the text
    const double size = frame.draw.size(TextRole::Small);
    const Rect bar{area.x, area.y, std::min(area.width, widest * size), 2.0 * frame.gap()};
    HeatStrip strip{bar, 1, steps, {}};
    for (int i = 0; i < steps; ++i)
        strip.cells.push_back(color((i + 0.5) / steps));
    frame.draw.scene.items.emplace_back(std::move(strip));
    for (const auto& tick : ticksOf(axis, 5)) {
        const double x = bar.x + bar.width * fractionOf(axis, tick.value);
        frame.draw.line({x, bar.bottom()}, {x, bar.bottom() + 0.5 * frame.gap()},
            frame.theme().textMuted, frame.theme().lineWidth);
        frame.draw.text({x, bar.bottom() + 0.5 * frame.gap() + size}, tick.label,
            frame.theme().textSecondary, TextRole::Small, Align::Centre);
    }
}

double timeTicksHeight(const ComparisonFrame& frame) {
    return frame.line() + frame.gap();
}

double drawCategoryLegend(const ComparisonFrame& frame,
    const std::vector<ComparisonLegendEntry>& entries, Point at, double width, bool draw) {
    if (entries.empty())
        return 0.0;
    const double size = frame.draw.size(TextRole::Small);
    const double row = 1.5 * size;
    const double swatch = 0.8 * size;
    Point pen = at;
    for (const auto& entry : entries) {
        const double room = width - swatch - frame.gap();
        const std::string text = frame.fitted(entry.text, room, TextRole::Small);
        const double taken = swatch + frame.gap() + frame.draw.width(text, TextRole::Small);
        if (pen.x > at.x && pen.x + taken > at.x + width)
            pen = {at.x, pen.y + row};
        if (draw) {
            const double centre = pen.y + size / 2.0;
            frame.draw.fill({pen.x, centre - swatch / 2.0, swatch, swatch},
                categoryFill(frame, entry.category));
            frame.draw.text(
                {pen.x + swatch + frame.gap(), frame.draw.centred(centre, TextRole::Small)}, text,
                frame.theme().text, TextRole::Small);
        }
        pen.x += taken + 1.2 * size;
    }
    return pen.y - at.y + row;
}

Color heatShade(const FigureAxis& axis, double fraction) {
    return isShownAsHeat(axis.metric) ? inferno(fraction) : viridis(fraction);
}

Color heatColor(const FigureAxis& axis, double value) {
    return heatShade(axis, std::round(fractionOf(axis, value) * kColorSteps) / kColorSteps);
}

Color categoryFill(const ComparisonFrame& frame, const std::string& category) {
    // Where nothing runs the paper shows through, darkened or lightened enough to be seen.
    if (category == "idle")
        return frame.theme().dark ? blend(frame.paper(), frame.theme().text, 0.18)
                                  : categoryColor("idle");
    return categoryColor(category);
}

} // namespace trainscope::plot
