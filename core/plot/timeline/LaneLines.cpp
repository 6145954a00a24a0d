#include "core/model/Vectorized.h"
#include "core/plot/timeline/LaneFrame.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <bit>

namespace trainscope::plot {

namespace {

constexpr float kGap = std::numeric_limits<float>::quiet_NaN();
// Overlaid series let each other through.
constexpr std::uint8_t kOverlaidAlpha = 190;
// Extents behind the means: one series, and together as much where there are several.
constexpr int kExtentsAlpha = 128;
constexpr int kLeastExtentsAlpha = 20;
// The nested parts of a band lie over each other.
constexpr std::uint8_t kRangeAlpha = 56;
constexpr std::uint8_t kMostAlpha = 64;
constexpr std::uint8_t kHalfAlpha = 96;
constexpr std::uint8_t kOnlyAlpha = 90; // the middle 90 % alone
constexpr Color kAboveLimit{0xCC, 0x33, 0x11, 0xFF}; // vermilion, beside the amber of power
constexpr std::uint8_t kBehindText = 200;
constexpr std::uint8_t kAboveAlpha = 150; // the part above a limit
// Values of a log stand as points where there is room between them.
constexpr double kPointDiameter = 4.0;
constexpr double kRoomForPoint = 8.0; // scene units, on average

// Values to positions inside the area.
struct ValueScale {
    Rect area;
    double low = 0.0;
    double high = 1.0;
};

// A trace to draw, and the buckets it was made of where they are kept.
struct Source {
    const Trace* trace = nullptr;
    const std::vector<Bucket>* buckets = nullptr;
};

// The trace at the drawn columns, each made of the columns that it stands for.
Trace resampled(const ColumnMap& map, const Source& own, const Source& behind) {
    const std::size_t count = map.columns.size();
    Trace drawn{std::vector<float>(count, kGap), std::vector<float>(count, kGap)};
    ColumnMap::Source before;
    for (std::size_t i = 0; i < count; ++i) {
        const ColumnMap::Source source = map.columns[i];
        const bool repeats = before.first == source.first && before.behind == source.behind;
        before = source;
        const Source& of = source.behind ? behind : own;
        if (of.trace == nullptr || source.first < 0)
            continue;
        const float* lows = of.trace->low.data();
        const float* highs = of.trace->high.data();
        const auto first = static_cast<std::size_t>(source.first);
        float low = lows[first];
        float high = highs[first];
        // A column that is stretched over several is joined to the one before it only once.
        if (repeats && i > 0 && of.buckets != nullptr && !std::isnan(low)) {
            low = (*of.buckets)[first].min;
            high = (*of.buckets)[first].max;
        }
        for (int column = source.first + 1; column <= source.last; ++column) {
            // NaN is neither below nor above. Without jumps, which would be guessed wrong half of
            // the time.
            low = std::min(low == low ? low : lows[column], lows[column]);
            high = std::max(high == high ? high : highs[column], highs[column]);
        }
        drawn.low[i] = low;
        drawn.high[i] = high;
    }
    return drawn;
}

// At least `thick` high and inside the area; NaN stays NaN.
TRAINSCOPE_VECTORIZED void toPositions(const float* low, const float* high, std::size_t count,
    const ValueScale& values, double thick, float* tops, float* bottoms) {
    const auto top = static_cast<float>(values.area.y);
    const auto bottom = static_cast<float>(values.area.bottom());
    const auto scale = static_cast<float>(values.area.height / (values.high - values.low));
    const auto zero = static_cast<float>(values.low);
    const auto half = static_cast<float>(0.5 * thick);
    for (std::size_t i = 0; i < count; ++i) {
        // The order of the arguments lets NaN through.
        const float upper = std::min(std::max(bottom - (high[i] - zero) * scale, top), bottom);
        const float lower = std::min(std::max(bottom - (low[i] - zero) * scale, top), bottom);
        const float centre = std::min(std::max(0.5F * (upper + lower), top + half), bottom - half);
        const bool thin = lower - upper < 2.0F * half;
        tops[i] = thin ? centre - half : upper;
        bottoms[i] = thin ? centre + half : lower;
    }
}

// Hash of everything about the columns but their horizontal place.
std::uint64_t contentOf(const LaneFrame& frame) {
    if (frame.data.serial == 0)
        return 0;
    std::uint64_t hash = frame.data.serial;
    const auto mix = [&hash](std::uint64_t value) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29U;
    };
    mix(frame.data.behind ? frame.data.behind->serial : 0);
    mix(frame.index);
    mix(frame.map->isShift ? 0 : static_cast<std::uint64_t>(frame.scale.window.length().ns));
    mix(std::bit_cast<std::uint64_t>(frame.area.height));
    mix(std::bit_cast<std::uint64_t>(frame.area.y - std::floor(frame.area.y)));
    mix(std::bit_cast<std::uint64_t>(frame.theme.lineWidth));
    const Color& background = frame.scene.background;
    for (const std::uint8_t part : {background.r, background.g, background.b})
        mix(part);
    return hash | 1U;
}

// From values of the drawn columns.
Columns columnsAt(const LaneFrame& frame, const ValueScale& values, const float* low,
    const float* high, Color color) {
    const ColumnMap& map = *frame.map;
    const std::size_t count = map.columns.size();
    Columns columns;
    columns.area = {map.area.x, frame.area.y, map.area.width, frame.area.height};
    columns.color = color;
    columns.content = contentOf(frame);
    columns.firstColumn = map.first;
    columns.top.resize(count);
    columns.bottom.resize(count);
    toPositions(low, high, count, values, std::max(frame.theme.lineWidth, 0.5), columns.top.data(),
        columns.bottom.data());
    return columns;
}

Columns columnsOf(const LaneFrame& frame, const ValueScale& values, const Source& own,
    const Source& behind, Color color) {
    const ColumnMap& map = *frame.map;
    if (!map.isShift) {
        const Trace drawn = resampled(map, own, behind);
        return columnsAt(frame, values, drawn.low.data(), drawn.high.data(), color);
    }
    const auto first = map.columns.front().first;
    return columnsAt(
        frame, values, own.trace->low.data() + first, own.trace->high.data() + first, color);
}

// In print the lines of a run have its pattern.
Columns inPattern(Columns columns, const LaneFrame& frame, std::size_t run) {
    if (!isPrinted(frame.theme))
        return columns;
    const std::size_t count = columns.top.size();
    const double step = columns.area.width / static_cast<double>(count) / frame.theme.lineWidth;
    for (std::size_t i = 0; i < count; ++i) {
        if (!isInked(run, step * (static_cast<double>(i) + 0.5)))
            columns.top[i] = columns.bottom[i] = kGap;
    }
    return columns;
}

// The same series of the coarser data; nullptr for none.
const LaneSeries* seriesBehind(const LaneFrame& frame, std::size_t index) {
    const bool isThere = frame.behind != nullptr && index < frame.behind->series.size();
    return isThere ? &frame.behind->series[index] : nullptr;
}

Source sourceOf(const LaneSeries* series) {
    if (series == nullptr || series->trace.low.empty())
        return {}; // in coarser data another line may keep apart
    return {&series->trace, series->buckets.empty() ? nullptr : &series->buckets};
}

// Empty sources where a series has no line of means.
Source middleOf(const LaneSeries* series) {
    const bool isThere = series != nullptr && !series->middle.low.empty();
    return {isThere ? &series->middle : nullptr, nullptr};
}

// The band or limit of a run among those of a lane; nullptr for none.
template <typename OfRun>
const OfRun* ofRun(const LaneData* lane, std::vector<OfRun> LaneData::*all, std::size_t run) {
    if (lane == nullptr)
        return nullptr;
    const auto found = std::ranges::find(lane->*all, run, &OfRun::run);
    return found == (lane->*all).end() ? nullptr : &*found;
}

Color aboveLimitColor(const LaneFrame& frame) {
    return legibleOn(kAboveLimit, frame.scene.background);
}

// The limit of each run in each drawn column.
using Limits = std::map<std::size_t, std::vector<float>>;

Limits limitsOf(const LaneFrame& frame, const LaneData& lane) {
    Limits all;
    for (const LaneLimit& own : lane.limits) {
        const LaneLimit* behind = ofRun(frame.behind, &LaneData::limits, own.run);
        std::vector<float>& limits = all[own.run];
        for (const auto& source : frame.map->columns) {
            const LaneLimit* from = source.behind ? behind : &own;
            const bool isThere = from != nullptr && source.first >= 0
                && static_cast<std::size_t>(source.first) < from->values.size();
            limits.push_back(isThere ? from->values[static_cast<std::size_t>(source.first)] : kGap);
        }
    }
    return all;
}

// Tints the part of a series above the limit of its run.
void tintAbove(const LaneFrame& frame, const Limits& all, const ValueScale& values,
    const Source& own, const Source& behind, std::size_t run) {
    const auto known = all.find(run);
    if (known == all.end())
        return;
    const std::vector<float>& limits = known->second;
    Trace above = resampled(*frame.map, own, behind);
    bool isAny = false;
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const bool isAbove = above.high[i] > limits[i];
        above.low[i] = isAbove ? limits[i] : kGap;
        above.high[i] = isAbove ? above.high[i] : kGap;
        isAny |= isAbove;
    }
    if (!isAny)
        return;
    frame.scene.items.emplace_back(columnsAt(frame, values, above.low.data(), above.high.data(),
        withAlpha(aboveLimitColor(frame), kAboveAlpha)));
}

// Small text that ends there, legible over lines.
void drawBacked(const LaneFrame& frame, Point end, std::string text, Color color) {
    const double room = frame.width(text);
    frame.fill({end.x - room - 0.5 * frame.gap(), end.y - 0.85 * frame.size(), room + frame.gap(),
                   1.1 * frame.size()},
        withAlpha(frame.scene.background, kBehindText), 0.5 * frame.gap());
    frame.text(end, std::move(text), color, TextRole::Small, Align::Right);
}

// A line at the limit of each run, with the limit's number where there is one line.
void drawLimits(
    const LaneFrame& frame, const LaneData& lane, const Limits& all, const ValueScale& values) {
    const Rect& area = frame.map->area;
    std::optional<double> named; // y
    double watts = 0.0;
    for (const auto& [run, limits] : all) {
        const double step
            = area.width / static_cast<double>(std::max<std::size_t>(limits.size(), 1));
        for (std::size_t i = 0; i < limits.size();) {
            std::size_t end = i + 1;
            while (end < limits.size() && limits[end] == limits[i])
                ++end;
            const auto value = static_cast<double>(limits[i]);
            const bool isSeen = value >= values.low && value <= values.high; // not NaN
            const double y = values.area.bottom()
                - (value - values.low) / (values.high - values.low) * values.area.height;
            if (isSeen)
                frame.line({area.x + step * static_cast<double>(i), y},
                    {area.x + step * static_cast<double>(end), y}, aboveLimitColor(frame));
            if (isSeen && (!named || y < *named)) {
                named = y;
                watts = value;
            }
            i = end;
        }
    }
    if (!named)
        return;
    const text::ShownUnit unit{lane.unit, lane.displayScale};
    std::string name = fmt::format("limit {:.4g} {}", text::worded(watts * unit.scale), unit.unit);
    const double below = *named - 0.4 * frame.size() < frame.area.y + frame.size()
        ? *named + 1.1 * frame.size()
        : *named - 0.4 * frame.size();
    drawBacked(
        frame, {frame.area.right() - frame.gap(), below}, std::move(name), aboveLimitColor(frame));
}

void drawPoints(
    const LaneFrame& frame, const ValueScale& values, const LaneSeries& series, Color color) {
    const auto& columns = frame.map->columns;
    const Rect& area = frame.map->area;
    const double width = area.width / static_cast<double>(columns.size());
    std::vector<FillRect> points;
    int last = -1;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const int source = columns[i].behind ? -1 : columns[i].first;
        if (source < 0 || source == last
            || static_cast<std::size_t>(source) >= series.buckets.size())
            continue;
        last = source;
        const Bucket& bucket = series.buckets[static_cast<std::size_t>(source)];
        if (bucket.count == 0)
            continue;
        const double share
            = (static_cast<double>(bucket.last) - values.low) / (values.high - values.low);
        const Point at{area.x + (static_cast<double>(i) + 0.5) * width,
            values.area.bottom() - std::clamp(share, 0.0, 1.0) * values.area.height};
        const double radius = kPointDiameter / 2.0;
        points.push_back({{at.x - radius, at.y - radius, kPointDiameter, kPointDiameter}, color,
            radius, Hatch::None});
    }
    if (points.empty())
        return;
    const double span = points.back().rect.x - points.front().rect.x;
    if (static_cast<double>(points.size() - 1) * kRoomForPoint > span)
        return;
    frame.scene.items.insert(frame.scene.items.end(), points.begin(), points.end());
}

// A series as the extents of its columns; where these are blocks, pale and with its means before
// them.
void drawSeries(const LaneFrame& frame, const LaneData& lane, const SeriesColors& colors,
    const ValueScale& values, std::size_t index) {
    const LaneSeries& series = lane.series[index];
    Color color = colorOf(frame, lane, colors, series);
    const auto count = static_cast<int>(lane.series.size());
    if (count > 1)
        color = withAlpha(color, kOverlaidAlpha);
    const auto line = [&](const Source& own, const Source& behind, Color of) {
        Columns columns = columnsOf(frame, values, own, behind, of);
        return colors.byRun ? inPattern(std::move(columns), frame, series.run) : columns;
    };
    const LaneSeries* coarse = seriesBehind(frame, index);
    const Source middle = middleOf(&series);
    if (middle.trace != nullptr) {
        const int alpha = std::max(kExtentsAlpha / count, kLeastExtentsAlpha);
        frame.scene.items.emplace_back(columnsOf(frame, values, sourceOf(&series), sourceOf(coarse),
            withAlpha(color, static_cast<std::uint8_t>(alpha))));
        frame.scene.items.emplace_back(line(middle, middleOf(coarse), color));
        return;
    }
    Columns columns = line(sourceOf(&series), sourceOf(coarse), color);
    const bool isLog = series.subject.kind == SubjectKind::Run && !lane.isStepped;
    columns.isSloped = isLog;
    frame.scene.items.emplace_back(std::move(columns));
    if (isLog)
        drawPoints(frame, values, series, color);
}

// The name of a line at its right end.
struct EndLabel {
    double y = 0.0;
    std::string text;
    Color color;
};

// A line by name over a band; colours follow each other, apart from that of the median.
void drawOutlier(const LaneFrame& frame, const LaneData& lane, const ValueScale& values,
    std::size_t index, std::vector<EndLabel>& labels) {
    const LaneSeries& series = lane.series[index];
    const Color color = legibleOn(seriesColor(labels.size() + 2), frame.scene.background);
    Columns columns
        = columnsOf(frame, values, sourceOf(&series), sourceOf(seriesBehind(frame, index)), color);
    const auto end = std::ranges::find_if(
        columns.top.rbegin(), columns.top.rend(), [](float y) { return !std::isnan(y); });
    if (end == columns.top.rend())
        return;
    std::string name = series.subject.kind == SubjectKind::Gpu
        ? fmt::format("rank {}", series.subject.rank)
        : series.label;
    if (frame.data.runs.size() > 1)
        name += " of " + frame.data.runs[series.run].name;
    labels.push_back({static_cast<double>(*end), std::move(name), color});
    frame.scene.items.emplace_back(std::move(columns));
}

// One below the other where their lines end at one height.
void drawEndLabels(const LaneFrame& frame, std::vector<EndLabel> labels) {
    const double step = 1.1 * frame.size();
    std::ranges::sort(labels, {}, &EndLabel::y);
    double least = frame.area.y + frame.size();
    double most = frame.area.bottom() - step * static_cast<double>(labels.size());
    for (EndLabel& label : labels) {
        most += step;
        const double y = std::max(least, std::min(label.y + 0.35 * frame.size(), most));
        least = y + step;
        drawBacked(
            frame, {frame.area.right() - frame.gap(), y}, std::move(label.text), label.color);
    }
}

// A column that does not touch the one before it is extended to its edge, so that jumps are lines.
Columns unbroken(Columns columns) {
    float top = kGap;
    float bottom = kGap;
    for (std::size_t i = 0; i < columns.top.size(); ++i) {
        const float ownTop = columns.top[i];
        const float ownBottom = columns.bottom[i];
        if (ownTop > bottom) // neither is a gap
            columns.top[i] = bottom;
        else if (ownBottom < top)
            columns.bottom[i] = top;
        top = ownTop;
        bottom = ownBottom;
    }
    return columns;
}

LaneGeometry geometryOf(const LaneFrame& frame, const LaneData& lane) {
    return {frame.area, lane.low, lane.high, {}};
}

} // namespace

LaneGeometry drawLines(const LaneFrame& frame, const LaneData& lane) {
    drawValueAxis(frame, lane);
    drawHoles(frame, lane);
    const SeriesColors colors = seriesColors(lane);
    const ValueScale values{frame.area, lane.low, lane.high};
    for (std::size_t i = 0; i < lane.series.size() && !frame.map->columns.empty(); ++i)
        drawSeries(frame, lane, colors, values, i);
    const Limits limits = limitsOf(frame, lane);
    for (std::size_t i = 0; i < lane.series.size() && !frame.map->columns.empty(); ++i)
        tintAbove(frame, limits, values, sourceOf(&lane.series[i]),
            sourceOf(seriesBehind(frame, i)), lane.series[i].run);
    drawLimits(frame, lane, limits, values);
    if (lane.series.empty())
        drawEmpty(frame, "no data");
    return geometryOf(frame, lane);
}

LaneGeometry drawBand(const LaneFrame& frame, const LaneData& lane) {
    drawValueAxis(frame, lane);
    drawHoles(frame, lane);
    const ValueScale values{frame.area, lane.low, lane.high};
    const Limits limits = limitsOf(frame, lane);
    const bool isFolded = lane.spec.style == LaneStyle::Lines;
    std::vector<EndLabel> labels;
    for (const LaneBand& band : lane.bands) {
        if (frame.map->columns.empty())
            break;
        const bool isOneOfSeveral = lane.bands.size() > 1;
        Color base = metricColor(lane.spec.metric);
        if (isOneOfSeveral)
            base = isPrinted(frame.theme) ? inkOf(frame, band.run)
                                          : seriesColor(frame.data.runs[band.run].color);
        const LaneBand* behind = ofRun(frame.behind, &LaneData::bands, band.run);
        const auto part = [&](Trace LaneBand::*of, Color color) {
            const Source coarse = behind == nullptr ? Source{} : Source{&(behind->*of), nullptr};
            return unbroken(columnsOf(frame, values, {&(band.*of), nullptr}, coarse, color));
        };
        auto& items = frame.scene.items;
        if (!isFolded)
            items.emplace_back(part(&LaneBand::range, withAlpha(base, kRangeAlpha)));
        items.emplace_back(
            part(&LaneBand::most, withAlpha(base, isFolded ? kOnlyAlpha : kMostAlpha)));
        if (!isFolded)
            items.emplace_back(part(&LaneBand::half, withAlpha(base, kHalfAlpha)));
        Columns median = part(&LaneBand::median, legibleOn(base, frame.scene.background));
        items.emplace_back(isOneOfSeveral ? inPattern(std::move(median), frame, band.run) : median);
        for (const std::size_t outlier : band.outliers)
            drawOutlier(frame, lane, values, outlier, labels);
        tintAbove(frame, limits, values, {&band.range, nullptr},
            behind == nullptr ? Source{} : Source{&behind->range, nullptr}, band.run);
    }
    drawLimits(frame, lane, limits, values);
    drawEndLabels(frame, std::move(labels));
    if (lane.series.empty())
        drawEmpty(frame, "no data");
    return geometryOf(frame, lane);
}

} // namespace trainscope::plot
