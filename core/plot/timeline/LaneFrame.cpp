#include "core/plot/timeline/LaneFrame.h"

#include <set>

namespace trainscope::plot {

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

} // namespace trainscope::plot
