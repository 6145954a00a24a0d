#include "app/viewmodels/timeline/TimelineHitTest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trainscope::app {
namespace {

constexpr double kReachPixels = 1.5;

bool inside(const plot::Rect& rect, plot::Point point) {
    return point.x >= rect.x && point.x < rect.right() && point.y >= rect.y
        && point.y < rect.bottom();
}

const Bucket* bucketAt(
    const plot::LaneSeries& series, const plot::ViewWindow& window, DurationNs time) {
    const auto length = static_cast<double>(window.length().ns);
    if (series.buckets.empty() || length <= 0.0 || time < window.begin || time >= window.end)
        return nullptr;
    const double place = static_cast<double>((time - window.begin).ns) / length;
    const auto column
        = static_cast<std::size_t>(place * static_cast<double>(series.buckets.size()));
    return &series.buckets[std::min(column, series.buckets.size() - 1)];
}

// 0 within the envelope of the column.
double distance(const Bucket& bucket, double value) {
    if (value < static_cast<double>(bucket.min))
        return static_cast<double>(bucket.min) - value;
    return std::max(0.0, value - static_cast<double>(bucket.max));
}

// Among envelopes that contain the point, the one whose mean is nearest.
std::optional<std::size_t> nearestSeries(
    const plot::LaneData& lane, const plot::ViewWindow& window, DurationNs time, double value) {
    std::optional<std::size_t> best;
    auto least = std::pair{std::numeric_limits<double>::max(), 0.0};
    for (std::size_t i = 0; i < lane.series.size(); ++i) {
        const Bucket* bucket = bucketAt(lane.series[i], window, time);
        if (bucket == nullptr || std::isnan(bucket->mean))
            continue;
        const auto rating = std::pair{
            distance(*bucket, value), std::abs(static_cast<double>(bucket->mean) - value)};
        if (!best || rating < least) {
            best = i;
            least = rating;
        }
    }
    return best;
}

void takeSeries(TimelineHit& hit, const plot::LaneData& lane, std::size_t index) {
    if (index >= lane.series.size())
        return;
    hit.item = static_cast<int>(index);
    hit.run = lane.series[index].run;
    hit.rank = lane.series[index].subject.rank;
}

// The shortest group of the track under the time, within reach of it.
const store::LodNode* groupAt(
    const plot::LaneSpans& track, TimeNs time, DurationNs reach, int depth) {
    const store::LodNode* best = nullptr;
    for (const auto& group : track.spans) {
        if (depth >= 0 && group.depth != depth)
            continue;
        if (time < group.range.begin - reach || group.range.end + reach < time)
            continue;
        if (best == nullptr || group.range.length() < best->range.length())
            best = &group;
    }
    return best;
}

// The bar of a group in its row, or in its level of the row.
plot::Rect barOf(const plot::TimelineData& data, const plot::TimeScale& axis,
    const plot::LaneGeometry::Row& row, int levels, const TimelineHit& hit) {
    const TimeNs origin = data.runs[hit.run].origin;
    const double left = std::max(axis.toX(hit.group->range.begin - origin), axis.x);
    const double right = std::min(axis.toX(hit.group->range.end - origin), axis.right());
    const double height = row.rect.height / levels;
    const double y = row.rect.y + (levels > 1 ? height * hit.group->depth : 0.0);
    return {left, y, std::max(right - left, 1.0), height};
}

// Rows of several streams may share their place: the one with something under the point wins.
void takeSpans(TimelineHit& hit, const plot::TimelineData& data, const plot::LaneData& lane,
    const plot::LaneGeometry::Row& row, const plot::TimeScale& axis, plot::Point point) {
    const DurationNs reach = axis.toTime(point.x + kReachPixels) - hit.time;
    if (row.item >= lane.spans.size())
        return;
    const plot::LaneSpans& track = lane.spans[row.item];
    const int levels = lane.spec.style == plot::LaneStyle::Thread ? std::max(1, row.depth) : 1;
    const double place = (point.y - row.rect.y) / row.rect.height * levels;
    const int depth = levels > 1 ? static_cast<int>(place) : -1;
    const store::LodNode* group
        = groupAt(track, data.runs[track.run].origin + hit.time, reach, depth);
    const bool better
        = group != nullptr && (!hit.group || group->range.length() < hit.group->range.length());
    if (hit.item >= 0 && !better)
        return;
    hit.item = static_cast<int>(row.item);
    hit.run = track.run;
    hit.rank = track.rank;
    if (group == nullptr)
        return;
    hit.group = *group;
    hit.place = barOf(data, axis, row, levels, hit);
}

void takeStretch(TimelineHit& hit, const plot::TimelineData& data,
    const plot::TimelineGeometry& geometry, plot::Point point,
    const std::vector<plot::RunOverlay>* overlays) {
    const plot::StretchPlace* place = plot::stretchUnder(geometry, point);
    if (place == nullptr)
        return;
    const plot::StretchStrip& strip = geometry.strips[place->strip];
    if (place->item >= plot::stretchCount(data, overlays, strip))
        return;
    hit.stretch = stretchHit(data, overlays, strip, place->item);
    hit.place = place->rect;
}

} // namespace

StretchHit stretchHit(const plot::TimelineData& data, const std::vector<plot::RunOverlay>* overlays,
    const plot::StretchStrip& strip, std::size_t item) {
    NamedPhase named = plot::stretchAt(data, overlays, strip, item);
    const TimeNs origin = data.runs[strip.run].origin;
    return {strip.run, strip.kind, item, std::move(named.name),
        {named.range.begin - origin, named.range.end - origin}};
}

TimelineHit hitTest(const plot::TimelineData& data, const plot::TimelineGeometry& geometry,
    const plot::TimeScale& axis, plot::Point point, const std::vector<plot::RunOverlay>* overlays) {
    TimelineHit hit;
    hit.time = axis.toTime(point.x);
    if (point.y < geometry.plot.y) {
        takeStretch(hit, data, geometry, point, overlays);
        return hit;
    }
    const std::size_t count = std::min(data.lanes.size(), geometry.lanes.size());
    for (std::size_t i = 0; i < count; ++i) {
        const plot::LaneGeometry& place = geometry.lanes[i];
        if (!inside(place.area, point))
            continue;
        const plot::LaneData& lane = data.lanes[i];
        hit.lane = static_cast<int>(i);
        for (const auto& row : place.rows) {
            if (point.y < row.rect.y || point.y >= row.rect.bottom())
                continue;
            if (lane.spans.empty())
                takeSeries(hit, lane, row.item);
            else
                takeSpans(hit, data, lane, row, axis, point);
        }
        if (hit.item >= 0)
            return hit;
        if (lane.spec.style == plot::LaneStyle::Lines && place.area.height > 0.0) {
            const double up = (place.area.bottom() - point.y) / place.area.height;
            const double value = place.low + up * (place.high - place.low);
            if (const auto series = nearestSeries(lane, data.window, hit.time, value))
                takeSeries(hit, lane, *series);
        }
        return hit;
    }
    return hit;
}

} // namespace trainscope::app
