// Lanes share the height of the window.

#include "core/plot/timeline/LaneFrame.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::plot {

namespace {

// In units of the body text.
constexpr double kLeastLane = 4.6; // a name, a unit and three ticks
constexpr double kLeastHeat = 6.0; // with the bar of its colours
constexpr double kLeastLevel = 1.25; // host calls: a name fits
constexpr double kLeastRank = 0.9; // kernels
constexpr double kLeastGpuRow = 0.3; // a row of a heat lane
constexpr double kLeastState = 1.0;
// Lanes of lines get what is above that.
constexpr double kTallestLevel = 4.0;
constexpr double kTallestStates = 1.4;
// So many rows get that at least; more are merged by the eye.
constexpr int kMostRanks = 16;
constexpr std::size_t kMostGpus = 32;

struct HeightRange {
    double wish = 0.0;
    double least = 0.0;
    double most = std::numeric_limits<double>::infinity();
};

HeightRange spanHeights(const LaneData& lane, const Theme& theme, double pads) {
    const double body = theme.size(TextRole::Body);
    const int levels = spanLevels(lane);
    HeightRange range;
    if (lane.spec.style == LaneStyle::Thread) {
        range.least = pads + kLeastLevel * body * levels;
        range.most = pads + kTallestLevel * body * levels;
        return range;
    }
    const double around = pads + spanLegendHeight(theme);
    range.least = around + kLeastRank * body * std::min(levels, kMostRanks);
    range.most = around
        + kTallestLevel * body * static_cast<double>(std::max<std::size_t>(lane.spans.size(), 1));
    return range;
}

HeightRange laneHeights(const LaneData& lane, const Theme& theme) {
    const double body = theme.size(TextRole::Body);
    const double pads = 2.0 * lanePadding(theme);
    HeightRange range;
    if (!lane.spans.empty()) {
        range = spanHeights(lane, theme, pads);
    } else if (!lane.states.empty()) {
        const auto rows = static_cast<double>(lane.states.size());
        range.least = pads + kLeastState * body * rows;
        range.most = pads + kTallestStates * body * rows;
    } else if (drawnStyle(lane) == LaneStyle::Heat) {
        const auto rows = static_cast<double>(std::min(lane.series.size(), kMostGpus));
        range.least = std::max(kLeastHeat * body, pads + kLeastGpuRow * body * rows);
    }
    range.wish = std::max(lane.spec.height, 1.0);
    range.least = std::max(range.least, kLeastLane * body);
    range.most = std::max(range.most, range.least);
    if (!lane.spec.isFixed)
        return range;
    // Calls of the host cannot be read at any height.
    const double chosen = lane.spec.style == LaneStyle::Thread && !lane.spans.empty()
        ? std::max(lane.spec.height, range.least)
        : lane.spec.height;
    return {chosen, chosen, chosen};
}

constexpr double kGreatestScale = 1e6; // factor for wished heights

double heightsAt(const std::vector<HeightRange>& ranges, double scale) {
    double sum = 0.0;
    for (const auto& range : ranges)
        sum += std::clamp(range.wish * scale, range.least, range.most);
    return sum;
}

// Scale of the wishes at which the lanes fill the room.
double wishScale(const std::vector<HeightRange>& ranges, double room) {
    double low = 0.0;
    double high = 1.0;
    while (heightsAt(ranges, high) < room && high < kGreatestScale)
        high *= 2.0;
    for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (heightsAt(ranges, middle) < room ? low : high) = middle;
    }
    return low;
}

} // namespace

std::vector<double> sharedHeights(const TimelineData& data, double room, const Theme& theme) {
    std::vector<HeightRange> ranges;
    for (const auto& lane : data.lanes)
        ranges.push_back(laneHeights(lane, theme));
    // Rows stretch where nothing else would fill the room.
    if (heightsAt(ranges, kGreatestScale) < room) {
        for (auto& range : ranges)
            range.most = range.least == range.most ? range.most : HeightRange().most;
    }
    const double scale = wishScale(ranges, room);
    std::vector<double> heights;
    double exact = 0.0;
    double rounded = 0.0;
    for (const auto& range : ranges) {
        if (range.least == range.most) {
            heights.push_back(range.least);
            continue;
        }
        // Whole pixels: the hairlines between lanes stay sharp, and nothing is lost in sum.
        exact += std::clamp(range.wish * scale, range.least, range.most);
        heights.push_back(std::round(exact) - rounded);
        rounded = std::round(exact);
    }
    return heights;
}

} // namespace trainscope::plot
