// Kernel lanes (a row per rank, or per stream where there is room) and thread lanes (nested).

#include "core/plot/LaneFrame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace trainscope::plot {

namespace {

struct Row {
    Rect rect;
    double depthHeight = 0.0;
    std::vector<std::size_t> tracks; // into LaneData::spans
    std::string label;
    bool nested = false;
};

// Heights of a row in units of the body text.
constexpr double kTallest = 1.7;
constexpr double kStreamRow = 0.9;
constexpr double kShallowest = 0.3;
// A shorter beginning of a name tells nothing; bytes, the ellipsis' three included.
constexpr std::size_t kLeastName = 8;

// "rank 0" where the rank has one track, else "0 · stream 7".
std::string rowLabel(const LaneData& lane, const LaneSpans& track) {
    const auto same = std::count_if(lane.spans.begin(), lane.spans.end(),
        [&](const LaneSpans& other) { return other.run == track.run && other.rank == track.rank; });
    if (track.rank < 0)
        return track.label;
    static constexpr std::string_view kPrefix = "rank ";
    return same == 1 ? fmt::format("rank {}", track.rank) : track.label.substr(kPrefix.size());
}

std::vector<Row> rowsByTrack(const LaneData& lane, bool nested) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < lane.spans.size(); ++i)
        rows.push_back({{}, 0.0, {i}, rowLabel(lane, lane.spans[i]), nested});
    return rows;
}

std::vector<Row> rowsByRank(const LaneData& lane) {
    std::map<std::pair<std::size_t, int>, Row> byRank;
    for (std::size_t i = 0; i < lane.spans.size(); ++i) {
        const auto& track = lane.spans[i];
        Row& row = byRank[{track.run, track.rank}];
        row.tracks.push_back(i);
        row.label = track.rank < 0 ? "no rank" : fmt::format("rank {}", track.rank);
    }
    std::vector<Row> rows;
    for (auto& entry : byRank)
        rows.push_back(std::move(entry.second));
    return rows;
}

int depthOf(const LaneData& lane, const Row& row) {
    return row.nested ? std::max(lane.spans[row.tracks.front()].depth, 1) : 1;
}

void place(std::vector<Row>& rows, const LaneFrame& frame, const LaneData& lane, double height) {
    int levels = 0;
    for (const auto& row : rows)
        levels += depthOf(lane, row);
    const double body = frame.theme.size(TextRole::Body);
    const double each = std::min(height / std::max(levels, 1), kTallest * body);
    const double level = rows.front().nested ? std::max(each, kShallowest * body) : each;
    const double gap = level > 0.5 * body ? 0.5 * frame.theme.spacing : 0.0;
    double y = frame.area.y;
    for (auto& row : rows) {
        const double rowHeight = level * depthOf(lane, row);
        row.rect = {frame.area.x, y, frame.area.width, std::max(rowHeight - gap, 0.4 * rowHeight)};
        row.depthHeight = row.rect.height / depthOf(lane, row);
        y += rowHeight;
    }
}

std::vector<Row> rowsOf(const LaneFrame& frame, const LaneData& lane, double height) {
    if (lane.spec.style == LaneStyle::Thread) {
        auto rows = rowsByTrack(lane, true);
        place(rows, frame, lane, height);
        return rows;
    }
    const double needed
        = kStreamRow * frame.theme.size(TextRole::Body) * static_cast<double>(lane.spans.size());
    auto rows = needed <= height ? rowsByTrack(lane, false) : rowsByRank(lane);
    place(rows, frame, lane, height);
    return rows;
}

Color fillOf(const LaneFrame& frame, const store::SpanGroup& group) {
    const auto name = frame.data.names.find(group.name);
    const bool categorised = name != frame.data.names.end() && !name->second.category.empty();
    const Color color
        = categorised ? categoryColor(name->second.category) : spanKindColor(group.kind);
    if (group.count <= 1)
        return color;
    // Few steps, so that neighbours merge into one rectangle.
    const double busy
        = std::round(std::clamp(static_cast<double>(group.busyFraction), 0.0, 1.0) * 8.0) / 8.0;
    return blend(frame.scene.background, color, 0.3 + 0.7 * busy);
}

// Adds rectangles of one level, joining neighbours that look the same.
class SpanPainter {
public:
    SpanPainter(const LaneFrame& frame, double y, double height)
        : m_frame(frame)
        , m_y(y)
        , m_height(height) { }
    ~SpanPainter() { flush(); }
    SpanPainter(const SpanPainter&) = delete;
    SpanPainter& operator=(const SpanPainter&) = delete;

    void add(const store::SpanGroup& group, TimeNs origin) {
        const double left = std::max(m_frame.scale.toX(group.range.begin - origin), m_frame.area.x);
        const double end
            = std::min(m_frame.scale.toX(group.range.end - origin), m_frame.area.right());
        if (left >= m_frame.area.right() || end < m_frame.area.x)
            return;
        const double hair = m_frame.theme.lineWidth;
        const double right = std::min(std::max(end, left + hair), m_frame.area.right());
        if (right <= m_right)
            return; // under its neighbour's pixel
        const Color color = fillOf(m_frame, group);
        const bool named
            = group.count == 1 && right - left > 2.5 * m_frame.theme.size(TextRole::Small);
        if (!named && color == m_color && left <= m_right + 0.05) {
            m_right = right;
            return;
        }
        flush();
        m_left = std::max(left, m_right);
        m_right = right;
        m_color = color;
        if (named)
            addNamed(group, left);
    }

private:
    void flush() {
        if (m_color.a > 0)
            m_frame.fill({m_left, m_y, m_right - m_left, m_height}, m_color);
        m_color = {0, 0, 0, 0};
    }
    void addNamed(const store::SpanGroup& group, double left) {
        const Color color = m_color;
        // A hair's breadth keeps neighbours of one colour apart.
        const double width = m_right - left - 0.5 * m_frame.theme.lineWidth;
        m_frame.fill({left, m_y, width, m_height}, color);
        m_color = {0, 0, 0, 0};
        const auto name = m_frame.data.names.find(group.name);
        if (name == m_frame.data.names.end()
            || m_height < 1.1 * m_frame.theme.size(TextRole::Small))
            return;
        const double pad = 0.75 * m_frame.theme.spacing;
        const std::string_view full = shortKernelName(name->second.text);
        std::string text = elided(full, width - 2.0 * pad, m_frame.style.measure, TextRole::Small);
        if (text != full && text.size() < kLeastName)
            return;
        m_frame.text({left + pad, m_frame.baseline(m_y + m_height / 2.0, TextRole::Small)},
            std::move(text), readableOn(color), TextRole::Small);
    }

    const LaneFrame& m_frame;
    double m_y;
    double m_height;
    double m_left = 0.0;
    double m_right = -1e300;
    Color m_color{0, 0, 0, 0};
};

void drawTrack(const LaneFrame& frame, const LaneSpans& track, const Row& row) {
    const TimeNs origin = frame.data.runs[track.run].origin;
    const int levels = row.nested ? std::max(track.depth, 1) : 1;
    for (int level = 0; level < levels; ++level) {
        const double y = row.rect.y + row.depthHeight * level;
        const double height = std::min(row.depthHeight, frame.area.bottom() - y);
        if (height <= 0.0)
            return;
        SpanPainter painter(frame, y, row.nested && height > 4.0 ? height - 1.0 : height);
        for (const auto& group : track.spans) {
            if (!row.nested || group.depth == level)
                painter.add(group, origin);
        }
    }
}

double drawRowLabels(const LaneFrame& frame, const LaneData& lane, const std::vector<Row>& rows) {
    const double gap = 1.5 * frame.theme.spacing;
    double reserved = 0.0;
    double free = frame.lane.y;
    for (const auto& row : rows) {
        if (frame.data.runs.size() > 1)
            drawRunMark(frame, lane.spans[row.tracks.front()].run, row.rect.y, row.rect.height);
        const double half = 0.55 * frame.theme.size(TextRole::Small);
        const double y = row.nested ? row.rect.y + half : row.rect.y + row.rect.height / 2.0;
        if (y - half < free - 0.01 || y + half > frame.lane.bottom())
            continue;
        free = y + half;
        static constexpr std::string_view kRank = "rank ";
        std::string label = row.label;
        if (frame.isNarrow() && label.starts_with(kRank))
            label = "r" + label.substr(kRank.size());
        // Numbers of threads are long; the lane's title comes first.
        const double room = (row.nested ? 0.38 : 0.5) * frame.style.nameWidth;
        // The number tells more than the word before it.
        static constexpr std::string_view kThread = "thread ";
        const std::size_t word = label.find(kThread);
        if (word != std::string::npos && frame.width(label, TextRole::Small) > room)
            label.erase(word, kThread.size());
        std::string text = elided(label, room, frame.style.measure, TextRole::Small);
        reserved = std::max(reserved, frame.width(text, TextRole::Small) + gap);
        frame.text({frame.area.x - gap, frame.baseline(y, TextRole::Small)}, std::move(text),
            frame.theme.textSecondary, TextRole::Small, Align::Right);
    }
    return reserved;
}

} // namespace

LaneGeometry drawSpans(const LaneFrame& frame, const LaneData& lane) {
    LaneGeometry geometry{frame.area, 0.0, 1.0, {}};
    if (lane.spans.empty()) {
        drawName(frame, lane, 0.0);
        drawEmpty(frame, "no kernels or threads were traced");
        return geometry;
    }
    double height = frame.area.height;
    const double legend = 1.6 * frame.theme.size(TextRole::Small);
    if (!frame.style.legend && lane.spec.style == LaneStyle::Kernels && height > 4.0 * legend) {
        height -= legend;
        drawLegend(frame, categoryEntries(frame.data, lane, frame.scale.window),
            {frame.area.x, frame.area.bottom() - 0.8 * legend}, frame.area.width);
    }
    const auto rows = rowsOf(frame, lane, height);
    for (const auto& row : rows) {
        if (row.rect.y >= frame.area.bottom())
            break;
        for (const std::size_t track : row.tracks) {
            drawTrack(frame, lane.spans[track], row);
            geometry.rows.push_back({row.rect, track, 0});
        }
    }
    drawName(frame, lane, drawRowLabels(frame, lane, rows));
    return geometry;
}

} // namespace trainscope::plot
