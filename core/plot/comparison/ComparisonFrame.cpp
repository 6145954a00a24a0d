#include "core/plot/comparison/ComparisonFrame.h"

#include "core/plot/Palette.h"
#include "core/text/Numbers.h"
#include "core/text/SharedWords.h"

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kTextContrast = 4.5;
constexpr double kTimeTickDistance = 6.0; // in sizes of the text

} // namespace

Color ComparisonFrame::fillOf(std::size_t run) const {
    return seriesColor(data.runs[run].color);
}

Color ComparisonFrame::inkOf(std::size_t run) const {
    return legibleOn(fillOf(run), paper(), kTextContrast);
}

std::string ComparisonFrame::shortName(std::size_t run) const {
    std::vector<std::string> names;
    for (const auto& one : data.runs)
        names.push_back(one.named.name);
    return text::withoutShared(names[run], text::sharedWords(names));
}

std::string ComparisonFrame::legendName(std::size_t run) const {
    const auto isCapture = [](const ComparedRun& one) { return !one.capture.empty(); };
    if (std::none_of(data.runs.begin(), data.runs.end(), isCapture))
        return data.runs[run].named.cluster;
    const RunId first = data.runs.front().named.id;
    const bool areOfOneRun = std::all_of(data.runs.begin(), data.runs.end(),
        [first](const ComparedRun& one) { return one.named.id == first; });
    if (!areOfOneRun)
        return data.runs[run].named.name;
    return isCapture(data.runs[run]) ? data.runs[run].capture : "whole run";
}

std::string ComparisonFrame::markedCluster(std::size_t run) const {
    const std::string& first = data.runs.front().named.cluster;
    const bool isOne = std::all_of(data.runs.begin(), data.runs.end(),
        [&first](const ComparedRun& other) { return other.named.cluster == first; });
    return mark(run) + " · " + (data.isMany() && isOne ? shortName(run) : legendName(run));
}

double ComparisonFrame::widestMark() const {
    double widest = 0.0;
    for (const auto& run : data.runs)
        widest = std::max(widest, width(run.mark, TextRole::Small, true));
    return widest;
}

void ComparisonFrame::drawMark(std::size_t run, Point at) const {
    text(at, mark(run), inkOf(run), TextRole::Small, Align::Left, true);
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
    const int most
        = std::clamp(static_cast<int>(plot.width / (kTimeTickDistance * frame.size())), 2, 12);
    for (const auto& tick : valueTicks(from, to, unit.scale, most)) {
        const double x = plot.x + plot.width * (tick.value - from) / (to - from);
        frame.line({x, plot.y}, {x, plot.bottom()}, frame.theme.grid);
        frame.note({x, plot.bottom() + frame.size() + 0.75 * frame.gap()},
            tick.label + " " + unit.unit, Align::Centre);
    }
}

double colorBarHeight(const ComparisonFrame& frame) {
    return 2.0 * frame.gap() + frame.lineHeight() + 2.0 * frame.gap();
}

void drawColorBar(
    const ComparisonFrame& frame, const FigureAxis& axis, const ColorOf& color, Rect area) {
    constexpr double widest = 20.0; // in sizes of the text
    const double size = frame.size();
    const double tick = 0.5 * frame.gap();
    drawColourScale(frame, {area.x, area.y, std::min(area.width, widest * size), 2.0 * frame.gap()},
        axis, 5, color, tick, tick + size);
}

double timeTicksHeight(const ComparisonFrame& frame) {
    return frame.lineHeight() + frame.gap();
}

double drawCategoryLegend(const ComparisonFrame& frame,
    const std::vector<ComparisonLegendEntry>& entries, Point at, double width, bool draw) {
    const double size = frame.size();
    const double swatch = 0.8 * size;
    LegendFlow flow(frame,
        {swatch, frame.gap(), 1.2 * size, 1.5 * size, 0.5 * size, frame.theme.text}, at, width,
        draw);
    for (const auto& entry : entries)
        flow.add(entry.text, [&](Point left) {
            frame.fill({left.x, left.y - swatch / 2.0, swatch, swatch},
                categoryFill(frame, entry.category));
        });
    return flow.height();
}

Color categoryFill(const ComparisonFrame& frame, const std::string& category) {
    // Idle time shows the paper, darkened or lightened enough to be seen.
    if (category == "idle")
        return frame.theme.dark ? blend(frame.paper(), frame.theme.text, 0.18)
                                : categoryColor("idle");
    return categoryColor(category);
}

} // namespace trainscope::plot
