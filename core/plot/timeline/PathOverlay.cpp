#include "core/plot/timeline/LaneFrame.h"
#include "core/plot/timeline/TraceClock.h"

#include <set>

namespace trainscope::plot {

namespace {

constexpr double kPathWidth = 2.0; // times that of other lines

// The place of a run's track; of nested calls each level has its part.
struct TrackRow {
    Rect rect;
    int levels = 1;
    [[nodiscard]] double middle() const { return rect.y + rect.height / 2.0; }
};
std::map<TrackId, TrackRow> trackRows(
    const TimelineData& data, const TimelineGeometry& geometry, std::size_t run) {
    std::map<TrackId, TrackRow> rows;
    for (std::size_t i = 0; i < geometry.lanes.size(); ++i) {
        for (const auto& row : geometry.lanes[i].rows) {
            const auto& spans = data.lanes[i].spans;
            if (row.item < spans.size() && spans[row.item].run == run)
                rows.emplace(spans[row.item].track,
                    TrackRow{row.rect,
                        data.lanes[i].spec.style == LaneStyle::Thread ? std::max(row.depth, 1)
                                                                      : 1});
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
        line.add(frame.scale.toX(begin), row->second.middle());
        line.add(frame.scale.toX(end), row->second.middle());
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

void drawLaunches(const LaneFrame& frame, const TimelineGeometry& geometry) {
    constexpr double kHead = 5.0; // scene units
    for (const LaunchArrow& arrow : frame.style.launches) {
        if (arrow.run >= frame.data.runs.size())
            continue; // its run is not read yet
        const auto rows = trackRows(frame.data, geometry, arrow.run);
        const auto call = rows.find(arrow.call.track);
        const auto work = rows.find(arrow.work.track);
        if (call == rows.end() || work == rows.end())
            continue;
        const ShownRun& shown = frame.data.runs[arrow.run];
        const auto x = [&](TimeNs time) { // an end outside stands at the edge of the plot
            const DurationNs at = shownTime(shown, arrow.rank, time) - shown.origin;
            return std::clamp(frame.scale.toX(at), frame.scale.x, frame.scale.right());
        };
        const Rect& from = call->second.rect;
        const Point begin{x(arrow.call.time),
            from.y + from.height / call->second.levels * (arrow.call.depth + 1)};
        const Point end{x(arrow.work.time), work->second.rect.y};
        const double length = std::hypot(end.x - begin.x, end.y - begin.y);
        if (length < kHead)
            continue;
        const Point along{(end.x - begin.x) / length * kHead, (end.y - begin.y) / length * kHead};
        const Point neck{end.x - along.x, end.y - along.y};
        frame.scene.items.emplace_back(
            Polyline{{begin, end, {neck.x - 0.6 * along.y, neck.y + 0.6 * along.x}, end,
                         {neck.x + 0.6 * along.y, neck.y - 0.6 * along.x}},
                frame.theme.text, kPathWidth * frame.theme.lineWidth});
    }
}

} // namespace trainscope::plot
