#include "core/plot/LaneFrame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace trainscope::plot {

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
// Overlaid series let each other through.
constexpr std::uint8_t kOverlaidAlpha = 190;
constexpr std::uint8_t kBandAlpha = 90;

// One drawn column of one series; min is NaN where there is nothing.
struct Extent {
    float min = kNothing;
    float max = kNothing;
    float first = kNothing;
    float last = kNothing;
    bool gap = false;
};

Extent extentOf(const std::vector<Bucket>& buckets, ColumnMap::Source source) {
    Extent extent;
    for (int i = source.first; i <= source.last; ++i) {
        const Bucket& bucket = buckets[static_cast<std::size_t>(i)];
        extent.gap = extent.gap || bucket.gap;
        if (std::isnan(bucket.mean))
            continue;
        if (std::isnan(extent.min))
            extent = {bucket.min, bucket.max, bucket.first, bucket.last, extent.gap};
        extent.min = std::min(extent.min, bucket.min);
        extent.max = std::max(extent.max, bucket.max);
        extent.last = bucket.last;
    }
    return extent;
}

struct ValueScale {
    Rect area;
    double low = 0.0;
    double high = 1.0;
    // Clamped to the area.
    [[nodiscard]] double toY(double value) const {
        const double fraction = std::clamp((value - low) / (high - low), 0.0, 1.0);
        return area.bottom() - fraction * area.height;
    }
};

// From min to max of every column, at least as thick as a line, joined to what the column before
// held.
Columns traceOf(const LaneFrame& frame, const ColumnMap& map, const ValueScale& values,
    const std::vector<Bucket>& buckets, Color color) {
    Columns columns;
    columns.area = map.area;
    columns.color = color;
    columns.top.reserve(map.columns.size());
    columns.bottom.reserve(map.columns.size());
    const double half = 0.5 * std::max(frame.theme.lineWidth, 0.5);
    float held = kNothing;
    for (const auto& source : map.columns) {
        Extent extent = extentOf(buckets, source);
        if (!extent.gap && !std::isnan(held) && !std::isnan(extent.min)) {
            extent.min = std::min(extent.min, held);
            extent.max = std::max(extent.max, held);
        }
        held = extent.last;
        double top = values.toY(extent.max);
        double bottom = values.toY(extent.min);
        if (bottom - top < 2.0 * half) {
            const double centre = std::clamp(
                0.5 * (top + bottom), values.area.y + half, values.area.bottom() - half);
            top = centre - half;
            bottom = centre + half;
        }
        const bool nothing = std::isnan(extent.min);
        columns.top.push_back(nothing ? kNothing : static_cast<float>(top));
        columns.bottom.push_back(nothing ? kNothing : static_cast<float>(bottom));
    }
    return columns;
}

// Minimum, mean and maximum over the series of one run, as the extents of a series.
struct Envelope {
    std::vector<Bucket> range;
    std::vector<Bucket> mean;
};

void addTo(Envelope& envelope, std::size_t column, const Bucket& bucket, float& sum, int& count) {
    Bucket& range = envelope.range[column];
    if (count == 0)
        range = bucket;
    range.min = std::min(range.min, bucket.min);
    range.max = std::max(range.max, bucket.max);
    sum += bucket.mean;
    ++count;
}

Envelope envelopeOf(const TimelineData& data, const LaneData& lane, std::size_t run) {
    Bucket nothing{kNothing, kNothing, kNothing, kNothing, kNothing, 0, true};
    const auto columns = static_cast<std::size_t>(data.columns);
    Envelope envelope{std::vector<Bucket>(columns, nothing), std::vector<Bucket>(columns, nothing)};
    for (std::size_t i = 0; i < columns; ++i) {
        float sum = 0.0F;
        int count = 0;
        for (const auto& series : lane.series) {
            if (series.run == run && !std::isnan(series.buckets[i].mean))
                addTo(envelope, i, series.buckets[i], sum, count);
        }
        if (count == 0)
            continue;
        const float mean = sum / static_cast<float>(count);
        envelope.mean[i] = {mean, mean, mean, mean, mean, 1, false};
        // Not joined to its neighbours: the envelope is what was measured in that column.
        envelope.range[i].mean = mean;
        envelope.range[i].gap = true;
    }
    return envelope;
}

std::set<std::size_t> runsOf(const LaneData& lane) {
    std::set<std::size_t> runs;
    for (const auto& series : lane.series)
        runs.insert(series.run);
    return runs;
}

LaneGeometry geometryOf(const LaneFrame& frame, const LaneData& lane) {
    return {frame.area, lane.low, lane.high, {}};
}

} // namespace

LaneGeometry drawLines(const LaneFrame& frame, const LaneData& lane) {
    if (lane.series.size() > kMostOverlaidSeries)
        return drawBand(frame, lane);
    drawValueAxis(frame, lane);
    drawHoles(frame, lane);
    const ColumnMap map = mapColumns(frame);
    const SeriesColors colors = seriesColors(lane);
    const ValueScale values{frame.area, lane.low, lane.high};
    for (const auto& series : lane.series) {
        Color color = colorOf(frame, lane, colors, series);
        if (lane.series.size() > 1)
            color = withAlpha(color, kOverlaidAlpha);
        if (!map.columns.empty())
            frame.scene.items.emplace_back(traceOf(frame, map, values, series.buckets, color));
    }
    if (lane.series.empty())
        drawEmpty(frame, "no data");
    return geometryOf(frame, lane);
}

LaneGeometry drawBand(const LaneFrame& frame, const LaneData& lane) {
    drawValueAxis(frame, lane);
    drawHoles(frame, lane);
    const ColumnMap map = mapColumns(frame);
    const ValueScale values{frame.area, lane.low, lane.high};
    const auto runs = runsOf(lane);
    for (const std::size_t run : runs) {
        if (map.columns.empty())
            break;
        const Color base = runs.size() > 1 ? seriesColor(frame.data.runs[run].color)
                                           : metricColor(lane.spec.metric);
        const Envelope envelope = envelopeOf(frame.data, lane, run);
        frame.scene.items.emplace_back(
            traceOf(frame, map, values, envelope.range, withAlpha(base, kBandAlpha)));
        frame.scene.items.emplace_back(
            traceOf(frame, map, values, envelope.mean, legibleOn(base, frame.scene.background)));
    }
    if (lane.series.empty())
        drawEmpty(frame, "no data");
    return geometryOf(frame, lane);
}

} // namespace trainscope::plot
