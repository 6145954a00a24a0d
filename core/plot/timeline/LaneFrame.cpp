// The fixed column on the left: names and value axes.

#include "core/plot/timeline/LaneFrame.h"

#include "core/plot/Ticks.h"

namespace trainscope::plot {

namespace {

// The subtitle without its last clauses, so that its first (the unit) is whole within `most` lines.
std::vector<std::string> subtitleLines(
    const LaneFrame& frame, const std::string& subtitle, double room, int most) {
    std::string text = subtitle;
    while (true) {
        auto lines = frame.wrapped(text, room, most + 1, TextRole::Secondary);
        const std::size_t comma = text.rfind(", ");
        const bool fits = static_cast<int>(lines.size()) <= most;
        if (!fits && comma == std::string::npos)
            lines.resize(static_cast<std::size_t>(most));
        if (fits || comma == std::string::npos)
            return lines;
        text.resize(comma);
    }
}

// The lane's title; with its unit where there is no line left for a subtitle.
std::string titleOf(const LaneFrame& frame, const LaneData& lane, double room, bool alone) {
    if (!alone || lane.unit.empty())
        return lane.title;
    std::string full = lane.title + " (" + lane.unit + ")";
    const TextRole role = titleRole(frame);
    return frame.width(full, role, true) <= room ? full : lane.title;
}

} // namespace

bool LaneFrame::isNarrow() const {
    return style.nameWidth < 10.0 * theme.size(TextRole::Body);
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
    if (colors.byRun)
        return inkOf(frame, series.run);
    Color color = metricColor(lane.spec.metric);
    if (colors.byNode)
        color = seriesColor(static_cast<std::size_t>(std::max(series.node, 0)));
    return legibleOn(color, frame.scene.background);
}

Color inkOf(const LaneFrame& frame, std::size_t run) {
    return runInk(
        seriesColor(frame.data.runs[run].color), run, frame.theme, frame.scene.background);
}

void drawHoles(const LaneFrame& frame, const LaneData& lane) {
    const auto isHole = [](const ColumnMap::Source& source, const LaneData& from) {
        const auto at = static_cast<std::size_t>(source.first);
        return at < from.holes.size() && from.holes[at] != 0;
    };
    hatchColumns(frame, lane, isHole, frame.area.y, frame.area.height);
}

void drawRunMark(const LaneFrame& frame, std::size_t run, double y, double height) {
    const double gap = frame.gap();
    frame.fill({frame.scale.x - 0.75 * gap, y, 0.5 * gap, height},
        runInk(seriesColor(frame.data.runs[run].color), run, frame.theme, frame.theme.window));
}

void drawEmpty(const LaneFrame& frame, const std::string& message) {
    const double y = frame.centred(frame.area, TextRole::Secondary);
    const double x = frame.area.x + frame.area.width / 2.0;
    frame.text({x, y}, frame.fitted(message, frame.area.width, TextRole::Secondary),
        frame.theme.textSecondary, TextRole::Secondary, Align::Centre);
}

TextRole titleRole(const LaneFrame& frame) {
    return frame.isNarrow() ? TextRole::Secondary : TextRole::Body;
}

double drawName(const LaneFrame& frame, const LaneData& lane, double reserved) {
    const double left = frame.lane.x + 3.0 * frame.gap();
    const double room = frame.area.x - left - reserved - 2.0 * frame.gap();
    const double bottom = frame.lane.bottom() - frame.gap();
    const TextRole role = titleRole(frame);
    double y = frame.area.y + 0.8 * frame.size(role);
    const auto linesLeft = [&](TextRole next) {
        return y > bottom ? 0 : static_cast<int>((bottom - y) / frame.lineHeight(next)) + 1;
    };
    const int titleLines = std::min(linesLeft(role), 3); // derived lanes name their parts
    const std::string title = titleOf(frame, lane, room, titleLines < 2);
    for (auto& line : frame.wrapped(title, room, titleLines, role, true)) {
        frame.text({left, y}, std::move(line), frame.theme.text, role, Align::Left, true);
        y += frame.lineHeight(role);
    }
    const int most = std::min(linesLeft(TextRole::Secondary), 4);
    if (most == 0)
        return y;
    for (auto& line : subtitleLines(frame, lane.subtitle, room, most)) {
        frame.text({left, y}, std::move(line), frame.theme.textSecondary, TextRole::Secondary);
        y += frame.lineHeight(TextRole::Secondary);
    }
    return y;
}

void drawValueAxis(const LaneFrame& frame, const LaneData& lane) {
    const double size = frame.size();
    const int most = std::clamp(static_cast<int>(frame.area.height / (2.2 * size)) + 1, 2, 6);
    const auto ticks = valueTicks(lane.low, lane.high, lane.displayScale, most);
    const double gap = 1.5 * frame.gap();
    double widest = 0.0;
    double free = frame.lane.bottom() + size;
    for (const auto& tick : ticks) {
        const double fraction = (tick.value - lane.low) / (lane.high - lane.low);
        const double y = frame.area.bottom() - fraction * frame.area.height;
        frame.line({frame.area.x, y}, {frame.area.right(), y}, frame.theme.grid);
        if (y + 0.5 * size > free)
            continue; // on the label below
        free = y - 0.5 * size;
        frame.note({frame.area.x - gap, frame.centred(y)}, tick.label, Align::Right);
        widest = std::max(widest, frame.width(tick.label));
    }
    drawName(frame, lane, widest + gap);
}

} // namespace trainscope::plot
