#include "core/plot/timeline/LaneFrame.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace trainscope::plot {

void LaneFrame::fill(Rect rect, Color color, double radius) const {
    if (rect.width > 0.0 && rect.height > 0.0)
        scene.items.emplace_back(FillRect{rect, color, radius, Hatch::None});
}

void LaneFrame::hatch(Rect rect) const {
    hatch(rect, theme.gap);
}

void LaneFrame::hatch(Rect rect, Color color) const {
    if (rect.width > 0.0 && rect.height > 0.0)
        scene.items.emplace_back(FillRect{rect, color, 0.0, Hatch::Diagonal});
}

void LaneFrame::line(Point from, Point to, Color color, bool dashed) const {
    scene.items.emplace_back(Line{from, to, color, theme.lineWidth, dashed});
}

void LaneFrame::text(
    Point anchor, std::string text, Color color, TextRole role, Align align, bool bold) const {
    if (!text.empty())
        scene.items.emplace_back(Label{anchor, std::move(text), color, role, align, bold, 0.0});
}

double LaneFrame::width(std::string_view text, TextRole role, bool bold) const {
    return style.measure(text, role, bold);
}

double LaneFrame::baseline(double y, TextRole role) const {
    // Half the height of Latin capitals.
    return y + 0.36 * theme.size(role);
}

bool LaneFrame::isNarrow() const {
    return style.nameWidth < 10.0 * theme.size(TextRole::Body);
}

double LaneFrame::lineHeight(TextRole role) const {
    return 1.25 * theme.size(role);
}

SeriesColors seriesColors(const LaneData& lane) {
    std::set<std::size_t> runs;
    std::set<int> nodes;
    for (const auto& series : lane.series) {
        runs.insert(series.run);
        nodes.insert(series.node);
    }
    return {runs.size() > 1, runs.size() == 1 && nodes.size() > 1};
}

Color colorOf(const LaneFrame& frame, const LaneData& lane, const SeriesColors& colors,
    const LaneSeries& series) {
    Color color = metricColor(lane.spec.metric);
    if (colors.byRun)
        color = seriesColor(frame.data.runs[series.run].color);
    else if (colors.byNode)
        color = seriesColor(static_cast<std::size_t>(std::max(series.node, 0)));
    return legibleOn(color, frame.scene.background);
}

void drawHoles(const LaneFrame& frame, const LaneData& lane) {
    const ColumnMap& map = *frame.map;
    const double step
        = map.columns.empty() ? 0.0 : map.area.width / static_cast<double>(map.columns.size());
    const auto isHole = [&](std::size_t column) {
        const auto& source = map.columns[column];
        const LaneData* from = source.behind ? frame.behind : &lane;
        if (source.first < 0 || from == nullptr)
            return false;
        const auto at = static_cast<std::size_t>(source.first);
        return at < from->holes.size() && from->holes[at] != 0;
    };
    for (std::size_t i = 0; i < map.columns.size(); ++i) {
        if (!isHole(i))
            continue;
        std::size_t end = i + 1;
        while (end < map.columns.size() && isHole(end))
            ++end;
        frame.hatch({map.area.x + step * static_cast<double>(i), frame.area.y,
            step * static_cast<double>(end - i), frame.area.height});
        i = end;
    }
}

void drawRunMark(const LaneFrame& frame, std::size_t run, double y, double height) {
    const double gap = frame.theme.spacing;
    frame.fill({frame.scale.x - 0.75 * gap, y, 0.5 * gap, height},
        legibleOn(seriesColor(frame.data.runs[run].color), frame.theme.window));
}

void drawEmpty(const LaneFrame& frame, const std::string& message) {
    const double y = frame.baseline(frame.area.y + frame.area.height / 2.0, TextRole::Secondary);
    const double x = frame.area.x + frame.area.width / 2.0;
    frame.text({x, y}, elided(message, frame.area.width, frame.style.measure, TextRole::Secondary),
        frame.theme.textSecondary, TextRole::Secondary, Align::Centre);
}

} // namespace trainscope::plot
