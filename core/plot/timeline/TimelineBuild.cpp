#include "core/plot/timeline/LaneFrame.h"
#include "core/plot/timeline/Timeline.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::plot {

namespace {

// Keeps lines and end labels off the edge of the picture.
double rightMargin(const Theme& theme) {
    return 3.0 * theme.spacing;
}

LaneGeometry drawLane(const LaneFrame& frame, const LaneData& lane) {
    if (!lane.states.empty())
        return drawStates(frame, lane);
    switch (drawnStyle(lane)) {
    case LaneStyle::Lines:
        return drawLines(frame, lane);
    case LaneStyle::Band:
        return drawBand(frame, lane);
    case LaneStyle::Heat:
        return drawHeat(frame, lane);
    case LaneStyle::Kernels:
    case LaneStyle::Thread:
        break;
    }
    return drawSpans(frame, lane);
}

void drawTimeGrid(const LaneFrame& frame, const TimeTicks& ticks) {
    for (const auto& tick : ticks.ticks) {
        const double x = frame.scale.toX(tick.time);
        frame.line({x, frame.lane.y}, {x, frame.lane.bottom()}, frame.theme.grid);
    }
}

std::vector<LegendEntry> legendOf(const LaneFrame& frame) {
    std::vector<LegendEntry> entries = seriesEntries(frame);
    std::vector<LegendEntry> categories;
    std::vector<LegendEntry> kinds;
    for (const auto& lane : frame.data.lanes) {
        if (lane.spec.style == LaneStyle::Kernels && categories.empty())
            categories = categoryEntries(frame.data, lane, frame.scale.window);
        if (lane.spec.style == LaneStyle::Thread && kinds.empty())
            kinds = kindEntries(frame.data, lane, frame.scale.window);
    }
    std::move(categories.begin(), categories.end(), std::back_inserter(entries));
    std::move(kinds.begin(), kinds.end(), std::back_inserter(entries));
    return entries;
}

// Title and legend; returns the height they take.
double drawHead(const LaneFrame& frame) {
    const Theme& theme = frame.theme;
    double y = 0.0;
    if (!frame.style.title.empty()) {
        const double left = 3.0 * theme.spacing;
        y = theme.spacing + theme.size(TextRole::Title);
        frame.text({left, y},
            frame.fitted(frame.style.title, frame.style.width - 2.0 * left, TextRole::Title, true),
            theme.text, TextRole::Title, Align::Left, true);
        y += 2.0 * theme.spacing;
    }
    if (frame.style.legend) {
        const double used = drawLegend(
            frame, legendOf(frame), {frame.scale.x, y + theme.spacing}, frame.scale.width);
        y += used > 0.0 ? used + theme.spacing : 0.0;
    }
    return y;
}

std::vector<double> wishedHeights(const TimelineData& data) {
    std::vector<double> heights;
    for (const auto& lane : data.lanes)
        heights.push_back(lane.spec.height);
    return heights;
}

// A frame for lane-independent drawing, and the start of every lane's.
LaneFrame frameFor(const TimelineData& data, const TimelineStyle& style, const TimeScale& scale,
    PlotScene& scene) {
    return {{*style.theme, style.measure, scene}, data, style, scale,
        {0.0, 0.0, scale.right(), 0.0}, {scale.x, 0.0, scale.width, 0.0}, nullptr, nullptr, 0};
}

// The same lane of the coarser data, if it has what the lane has.
const LaneData* laneBehind(const TimelineData& data, std::size_t index) {
    if (!data.behind || index >= data.behind->lanes.size())
        return nullptr;
    const LaneData& lane = data.lanes[index];
    const LaneData& behind = data.behind->lanes[index];
    const bool same = behind.spec.style == lane.spec.style && behind.spec.metric == lane.spec.metric
        && behind.spec.rank == lane.spec.rank && behind.series.size() == lane.series.size()
        && behind.spans.size() == lane.spans.size();
    return same ? &behind : nullptr;
}

void drawLanes(const LaneFrame& base, const TimeTicks& ticks, const std::vector<double>& heights,
    double top, TimelineGeometry& geometry) {
    const TimelineData& data = base.data;
    const double bottom = base.scene.height;
    const double pad = lanePadding(base.theme);
    const ColumnMap map = mapColumns(data, base.scale, base.style.columnsPerUnit);
    double y = top - base.style.scroll;
    for (std::size_t i = 0; i < data.lanes.size(); ++i) {
        const LaneData& lane = data.lanes[i];
        LaneFrame frame = base;
        frame.map = &map;
        frame.behind = laneBehind(data, i);
        frame.index = i;
        frame.lane = {0.0, y, base.scale.right(), heights[i]};
        frame.area
            = {base.scale.x, y + pad, base.scale.width, std::max(heights[i] - 2.0 * pad, 1.0)};
        y += heights[i];
        if (frame.lane.bottom() <= top || frame.lane.y >= bottom) {
            geometry.lanes.push_back({frame.area, lane.low, lane.high, {}, frame.lane});
            continue;
        }
        drawUnsettled(frame);
        drawTimeGrid(frame, ticks);
        geometry.lanes.push_back(drawLane(frame, lane));
        geometry.lanes.back().lane = frame.lane;
        drawLaneOverlay(frame, lane, geometry.lanes.back());
        frame.line({0.0, y}, {frame.scale.right(), y}, frame.theme.line);
    }
}

std::string number(float value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

// Millions of lines: what they share is written once.
void writeSeries(
    std::string& out, const TimelineData& data, const LaneData& lane, const LaneSeries& series) {
    const auto& run = data.runs[series.run];
    const std::string head = fmt::format("{},{},{},{},{},{},", toString(lane.spec.style),
        text::csvCell(lane.spec.metric), text::csvCell(run.name),
        series.subject.rank < 0 ? "" : fmt::format("{}", series.subject.rank),
        series.node < 0 ? "" : fmt::format("{}", series.node),
        text::csvCell(series.subject.device));
    const double step = static_cast<double>(data.window.length().ns) / data.columns;
    for (std::size_t i = 0; i < series.buckets.size(); ++i) {
        const Bucket& bucket = series.buckets[i];
        if (std::isnan(bucket.mean))
            continue;
        const auto at = static_cast<double>(i);
        const TimeNs begin = run.origin + data.window.begin + DurationNs{std::llround(step * at)};
        const TimeNs end
            = run.origin + data.window.begin + DurationNs{std::llround(step * (at + 1.0))};
        fmt::format_to(std::back_inserter(out), "{}{},{},{},{},{},{},,\n", head, begin.ns, end.ns,
            lane.states.empty() ? number(bucket.mean) : std::string(), number(bucket.min),
            number(bucket.max), bucket.count);
    }
}

void writeSpans(
    std::string& out, const TimelineData& data, const LaneData& lane, const LaneSpans& track) {
    const auto& run = data.runs[track.run];
    const std::string head
        = fmt::format("{},{},{},{},,{},", toString(lane.spec.style), "", text::csvCell(run.name),
            track.rank < 0 ? "" : fmt::format("{}", track.rank), text::csvCell(track.label));
    for (const auto& group : track.spans) {
        const auto name = data.names.find(group.name);
        const bool known = name != data.names.end();
        fmt::format_to(std::back_inserter(out), "{}{},{},{},,,{},{},{}\n", head,
            group.range.begin.ns, group.range.end.ns, number(group.busyFraction), group.count,
            known ? text::csvCell(name->second.text) : "",
            known ? text::csvCell(name->second.category) : "");
    }
}

} // namespace

TimelineGeometry buildTimeline(
    const TimelineData& data, ViewWindow window, const TimelineStyle& style) {
    TimelineGeometry geometry;
    const Theme& theme = *style.theme;
    const double plotWidth = std::max(style.width - style.nameWidth - rightMargin(theme), 1.0);
    const TimeScale scale{style.nameWidth, plotWidth, window};
    geometry.scene.width = style.width;
    geometry.scene.background = theme.window;

    // The head and the axis are painted last, over lanes that are scrolled under them.
    PlotScene head;
    head.background = theme.window;
    const LaneFrame headFrame = frameFor(data, style, scale, head);
    const TimeTicks ticks = ticksOf(data, style, scale);
    const auto marks = placeMarks(headFrame);
    const double axisTop = drawHead(headFrame) + flagsHeight(headFrame, marks);
    drawTimeAxis(headFrame, ticks, axisTop, geometry);
    const double lanesTop = axisTop + timeAxisHeight(data, style);
    drawFlags(headFrame, marks, style.sharesHeight ? lanesTop : axisTop, lanesTop, geometry);

    const auto heights = style.sharesHeight ? sharedHeights(data, style.height - lanesTop, theme)
                                            : wishedHeights(data);
    geometry.scene.height = style.height > 0.0
        ? style.height
        : std::accumulate(heights.begin(), heights.end(), lanesTop + theme.lineWidth);
    const LaneFrame base = frameFor(data, style, scale, geometry.scene);
    drawLanes(base, ticks, heights, lanesTop, geometry);
    drawPaths(base, geometry);
    drawLaunches(base, geometry);
    drawMarkLines(base, marks, lanesTop, geometry.scene.height);
    if (style.scroll > 0.0)
        base.fill({0.0, 0.0, style.width, lanesTop}, theme.window);
    auto& items = geometry.scene.items;
    std::move(head.items.begin(), head.items.end(), std::back_inserter(items));
    geometry.plot
        = {scale.x, lanesTop, scale.width, std::max(geometry.scene.height - lanesTop, 0.0)};
    return geometry;
}

std::string timelineCsv(const TimelineData& data) {
    std::string out
        = "lane,metric,run,rank,node,device,start_ns,end_ns,mean,min,max,count,name,category\n";
    for (const auto& lane : data.lanes) {
        for (const auto& series : lane.series)
            writeSeries(out, data, lane, series);
        for (const auto& track : lane.spans)
            writeSpans(out, data, lane, track);
    }
    return out;
}

} // namespace trainscope::plot
