#include "core/plot/timeline/LaneFrame.h"
#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace trainscope::plot {

namespace {

constexpr double kPathWidth = 2.0; // times that of other lines

// Middles of the rows of a run's tracks.
std::map<TrackId, double> trackRows(
    const TimelineData& data, const TimelineGeometry& geometry, std::size_t run) {
    std::map<TrackId, double> rows;
    for (std::size_t i = 0; i < geometry.lanes.size(); ++i) {
        for (const auto& row : geometry.lanes[i].rows) {
            const auto& spans = data.lanes[i].spans;
            if (row.item < spans.size() && spans[row.item].run == run)
                rows.emplace(spans[row.item].track, row.rect.y + row.rect.height / 2.0);
        }
    }
    return rows;
}

// Points of lines, each row once in a pixel.
class PathLine {
public:
    void begin() { lines.emplace_back(); }
    void add(double x, double y) {
        std::vector<Point>& points = lines.back();
        if (std::floor(x) != m_pixel || points.empty())
            m_rows.clear();
        m_pixel = std::floor(x);
        if (m_rows.insert(y).second)
            points.push_back({x, y});
        else if (points.back().y == y)
            points.back().x = x;
    }

    std::vector<std::vector<Point>> lines{1};

private:
    double m_pixel = -1.0;
    std::set<double> m_rows;
};

std::vector<std::vector<Point>> pathLines(
    const LaneFrame& frame, const TimelineGeometry& geometry, std::size_t run) {
    const auto rows = trackRows(frame.data, geometry, run);
    const ShownRun& shown = frame.data.runs[run];
    const ViewWindow& window = frame.scale.window;
    PathLine line;
    for (const PathMark& mark : (*frame.style.overlays)[run].path) {
        if (!mark.track.isValid())
            line.begin();
        const auto row = rows.find(mark.track);
        const TimeRange range = shownRange(shown, mark.rank, mark.range);
        const DurationNs begin = std::max(range.begin - shown.origin, window.begin);
        const DurationNs end = std::min(range.end - shown.origin, window.end);
        if (row == rows.end() || end < begin)
            continue;
        line.add(frame.scale.toX(begin), row->second);
        line.add(frame.scale.toX(end), row->second);
    }
    return std::move(line.lines);
}

} // namespace

void drawPaths(const LaneFrame& frame, const TimelineGeometry& geometry) {
    const auto* overlays = frame.style.overlays;
    const std::size_t runs
        = overlays == nullptr ? 0 : std::min(overlays->size(), frame.data.runs.size());
    for (std::size_t run = 0; run < runs; ++run) {
        if ((*overlays)[run].path.empty())
            continue;
        for (auto& points : pathLines(frame, geometry, run)) {
            if (points.size() > 1)
                frame.scene.items.emplace_back(Polyline{
                    std::move(points), frame.theme.text, kPathWidth * frame.theme.lineWidth});
        }
    }
}

} // namespace trainscope::plot
