#pragma once
// Timelines small enough to be worked out by hand, and ways to look into a scene. The text is of
// fixed pitch: every character is 6 units wide.

#include "core/plot/SceneParts.h"
#include "core/plot/support/Targets.h"
#include "core/plot/timeline/Timeline.h"
#include "core/plot/timeline/support/PrepareLane.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::test {

inline constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

inline double fixedPitch(std::string_view text, plot::TextRole, bool) {
    double width = 0.0;
    for (const char c : text)
        width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 6.0 : 0.0;
    return width;
}

// 112 px of names, 100 px of plot, 12 px of margin (three steps of the dark theme's spacing).
inline plot::TimelineStyle smallStyle() {
    plot::TimelineStyle style;
    style.theme = &plot::darkTheme();
    style.width = 224.0;
    style.nameWidth = 112.0;
    style.measure = fixedPitch;
    return style;
}

inline Bucket sample(float low, float high) {
    return {low, high, low, high, 0.5F * (low + high), 1, false};
}
inline Bucket held(float value) {
    return {value, value, value, value, value, 0, false};
}
inline Bucket hole() {
    return {kNothing, kNothing, kNothing, kNothing, kNothing, 0, true};
}

// One run from 0 to 100 ns with `columns` columns; origin 1000 ns.
inline plot::TimelineData emptyData(int columns) {
    plot::TimelineData data;
    data.window = {{0}, {100}};
    data.columns = columns;
    data.runs.push_back({RunId{1}, "run", TimeNs{1000}, 0});
    data.iterations.emplace_back();
    return data;
}

// A lane of 100 px: its area is 84 px, 8 px from its edges.
inline plot::LaneData metricLane(plot::LaneStyle style, const std::string& metric,
    std::vector<std::vector<Bucket>> series, int perNode = 8) {
    plot::LaneData lane;
    lane.spec = {style, metric, std::nullopt, 100.0};
    lane.title = metric;
    lane.low = 0.0;
    lane.high = 84.0;
    int rank = 0;
    for (auto& buckets : series) {
        const int node = rank / perNode;
        lane.series.push_back({0, {SubjectKind::Gpu, rank, node, {}}, node, SeriesId{rank + 1},
            "rank", std::move(buckets), {}, {}, {}});
        ++rank;
    }
    const std::size_t columns = lane.series.empty() ? 0 : lane.series.front().buckets.size();
    plot::prepareLane(lane, static_cast<int>(columns));
    return lane;
}

inline store::LodNode span(std::int64_t begin, std::int64_t end, std::int64_t name,
    std::uint32_t count = 1, float busy = 1.0F, std::uint16_t depth = 0) {
    return {{{1000 + begin}, {1000 + end}}, count, busy, NameId{name}, SpanKind::Kernel, depth};
}

inline plot::LaneData kernelLane(std::vector<std::vector<store::LodNode>> tracks) {
    plot::LaneData lane;
    lane.spec = {plot::LaneStyle::Kernels, {}, std::nullopt, 60.0};
    lane.title = "Kernels";
    int rank = 0;
    for (auto& spans : tracks) {
        lane.spans.push_back({0, rank, TrackId{rank + 1},
            "rank " + std::to_string(rank) + " · stream 7", 1, std::move(spans)});
        ++rank;
    }
    return lane;
}

// Bars of rows as rectangles.
inline std::vector<plot::FillRect> barsOf(const plot::PlotScene& scene) {
    std::vector<plot::FillRect> found;
    for (const auto& row : itemsOf<plot::Bars>(scene)) {
        for (const auto& bar : row.bars)
            found.push_back({plot::placeOf(bar, row.area), bar.color, 0.0, plot::Hatch::None});
    }
    return found;
}

} // namespace trainscope::test
