// Findings of a run, drawn over its lanes: throttle episodes and the time before it has settled.
#include "core/model/Metric.h"
#include "core/plot/timeline/LaneFrame.h"

namespace trainscope::plot {

namespace {

constexpr std::string_view kClockMetric = metric::kSmClock;
// Rows of a heat lane that are lower cannot carry a hatch.
constexpr double kLeastHatchedRow = 4.0;
constexpr std::uint8_t kHatchAlpha = 170;
constexpr std::uint8_t kUnsettledAlpha = 26;
constexpr double kFaintest = 60.0; // alpha of a strip where a single one of many is throttled

const RunOverlay* overlayOf(const LaneFrame& frame, std::size_t run) {
    const auto* overlays = frame.style.overlays;
    return overlays == nullptr || run >= overlays->size() ? nullptr : &(*overlays)[run];
}

struct Stretch {
    double from;
    double to;
};

// Part of a range that the plot shows, at least a pixel wide.
std::optional<Stretch> seen(const LaneFrame& frame, const TimeRange& range, TimeNs origin) {
    const ViewWindow& window = frame.scale.window;
    if (range.end - origin < window.begin || range.begin - origin > window.end)
        return std::nullopt; // most of them
    const double from = std::max(frame.scale.toX(range.begin - origin), frame.scale.x);
    const double to = std::min(frame.scale.toX(range.end - origin), frame.scale.right());
    if (to < frame.scale.x || from > frame.scale.right() || to < from)
        return std::nullopt;
    return Stretch{from, std::min(std::max(to, from + 1.0), frame.scale.right())};
}

using Stretches = std::vector<Stretch>;

double stripHeight(const Theme& theme) {
    return 1.5 * theme.spacing;
}

// In order of their begins; those that overlap or touch become one.
void append(Stretches& stretches, const Stretch& stretch) {
    if (!stretches.empty() && stretch.from <= stretches.back().to)
        stretches.back().to = std::max(stretches.back().to, stretch.to);
    else
        stretches.push_back(stretch);
}

// Episodes of the run, or of one of its ranks.
Stretches stretchesOf(const LaneFrame& frame, std::size_t run, const std::optional<int>& rank) {
    Stretches stretches;
    for (const auto& mark : overlayOf(frame, run)->throttles) {
        if (rank && mark.rank != *rank)
            continue;
        if (const auto stretch = seen(frame, mark.range, frame.data.runs[run].origin))
            append(stretches, *stretch);
    }
    return stretches;
}

std::map<int, Stretches> stretchesByRank(const LaneFrame& frame, std::size_t run) {
    std::map<int, Stretches> byRank;
    for (const auto& mark : overlayOf(frame, run)->throttles) {
        if (const auto stretch = seen(frame, mark.range, frame.data.runs[run].origin))
            append(byRank[mark.rank], *stretch);
    }
    return byRank;
}

void hatchStretches(const LaneFrame& frame, const Stretches& stretches, double y, double height) {
    for (const auto& stretch : stretches)
        frame.hatch({stretch.from, y, stretch.to - stretch.from, height},
            withAlpha(frame.theme.warning, kHatchAlpha));
}

void hatchRows(const LaneFrame& frame, const LaneData& lane, const LaneGeometry& geometry) {
    for (std::size_t run = 0; run < frame.data.runs.size(); ++run) {
        if (overlayOf(frame, run) == nullptr)
            continue;
        const auto byRank = stretchesByRank(frame, run);
        for (const auto& row : geometry.rows) {
            if (row.item >= lane.series.size() || row.rect.height < kLeastHatchedRow
                || lane.series[row.item].run != run)
                continue;
            const auto found = byRank.find(lane.series[row.item].subject.rank);
            if (found != byRank.end())
                hatchStretches(frame, found->second, row.rect.y, row.rect.height);
        }
    }
}

// Thin rows at the upper edge of the lane, one for each run that was throttled in it.
void markRuns(const LaneFrame& frame, const LaneData& lane) {
    const double height = stripHeight(frame.theme) / 2.0;
    double y = frame.lane.y + frame.theme.lineWidth; // above the curves
    for (std::size_t run = 0; run < frame.data.runs.size(); ++run) {
        if (overlayOf(frame, run) == nullptr)
            continue;
        const Stretches stretches = stretchesOf(frame, run, lane.spec.rank);
        for (const Stretch& stretch : stretches)
            frame.fill({stretch.from, y, stretch.to - stretch.from, height}, inkOf(frame, run));
        if (!stretches.empty())
            y += height + frame.theme.lineWidth;
    }
}

// Number of the run's GPUs that are throttled in each unit of the plot.
std::vector<int> countsOf(const LaneFrame& frame, std::size_t run) {
    const auto width = static_cast<std::size_t>(std::max(std::ceil(frame.scale.width), 1.0));
    std::vector<int> changes(width + 1, 0);
    for (const auto& mark : overlayOf(frame, run)->throttles) {
        const auto stretch = seen(frame, mark.range, frame.data.runs[run].origin);
        if (!stretch)
            continue;
        const auto first = std::min(static_cast<std::size_t>(stretch->from - frame.scale.x), width);
        const auto last
            = std::min(static_cast<std::size_t>(std::ceil(stretch->to - frame.scale.x)), width);
        ++changes[first];
        --changes[std::max(last, first)];
    }
    changes.pop_back();
    for (std::size_t i = 1; i < changes.size(); ++i)
        changes[i] += changes[i - 1];
    return changes;
}

std::vector<std::size_t> throttledRuns(const TimelineData& data, const TimelineStyle& style) {
    std::vector<std::size_t> runs;
    const std::size_t known = style.overlays == nullptr ? 0 : style.overlays->size();
    for (std::size_t i = 0; i < data.runs.size() && i < known && runs.size() < kMostStrips; ++i) {
        if (!(*style.overlays)[i].throttles.empty())
            runs.push_back(i);
    }
    return runs;
}

double stripStep(const Theme& theme) {
    return 1.3 * theme.size(TextRole::Small);
}

void drawStrip(const LaneFrame& frame, std::size_t run, const Rect& strip) {
    const std::vector<int> counts = countsOf(frame, run);
    const double all
        = static_cast<double>(std::max<std::size_t>((*frame.style.overlays)[run].gpus, 1));
    const Color full = frame.data.runs.size() > 1 ? inkOf(frame, run) : frame.theme.warning;
    frame.fill(strip, frame.theme.raised);
    for (std::size_t i = 0; i < counts.size();) {
        std::size_t end = i + 1;
        while (end < counts.size() && counts[end] == counts[i])
            ++end;
        const double share = std::min(counts[i] / all, 1.0);
        const double x = strip.x + static_cast<double>(i);
        const auto alpha = static_cast<std::uint8_t>(kFaintest + (255.0 - kFaintest) * share);
        if (counts[i] > 0)
            frame.fill({x, strip.y, std::min(static_cast<double>(end - i), strip.right() - x),
                           strip.height},
                withAlpha(full, alpha));
        i = end;
    }
}

} // namespace

std::vector<ThrottleMark> throttlesAt(
    const RunOverlay& overlay, TimeNs moment, std::optional<int> rank) {
    std::vector<ThrottleMark> marks;
    for (const auto& mark : overlay.throttles) {
        if (moment < mark.range.begin)
            break;
        if (moment < mark.range.end && (!rank || mark.rank == *rank))
            marks.push_back(mark);
    }
    return marks;
}

void drawLaneOverlay(const LaneFrame& frame, const LaneData& lane, const LaneGeometry& geometry) {
    if (lane.spec.metric != kClockMetric || frame.style.overlays == nullptr)
        return;
    if (!geometry.rows.empty())
        return hatchRows(frame, lane, geometry);
    if (frame.data.runs.size() > 1)
        return markRuns(frame, lane);
    for (std::size_t run = 0; run < frame.data.runs.size(); ++run) {
        if (overlayOf(frame, run) != nullptr)
            hatchStretches(
                frame, stretchesOf(frame, run, lane.spec.rank), frame.area.y, frame.area.height);
    }
}

void drawUnsettled(const LaneFrame& frame) {
    const RunOverlay* overlay = frame.data.runs.size() == 1 ? overlayOf(frame, 0) : nullptr;
    if (overlay == nullptr || !overlay->unsettled)
        return;
    if (const auto stretch = seen(frame, *overlay->unsettled, frame.data.runs.front().origin))
        frame.fill({stretch->from, frame.lane.y, stretch->to - stretch->from, frame.lane.height},
            withAlpha(frame.theme.textSecondary, kUnsettledAlpha));
}

double throttleStripsHeight(const TimelineData& data, const TimelineStyle& style) {
    return static_cast<double>(throttledRuns(data, style).size()) * stripStep(*style.theme);
}

void drawThrottleStrips(const LaneFrame& frame, double top, TimelineGeometry& geometry) {
    const double step = stripStep(frame.theme);
    double y = top;
    for (const std::size_t run : throttledRuns(frame.data, frame.style)) {
        const double height = stripHeight(frame.theme);
        const Rect strip{frame.scale.x, y + (step - height) / 2.0, frame.scale.width, height};
        drawStrip(frame, run, strip);
        frame.note({frame.scale.x - 1.5 * frame.gap(), frame.centred(y + step / 2.0)}, "throttled",
            Align::Right);
        if (frame.data.runs.size() > 1)
            drawRunMark(frame, run, strip.y, height);
        geometry.strips.push_back({{strip.x, y, strip.width, step}, run, StretchKind::Throttle});
        const auto& marks = overlayOf(frame, run)->throttles;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            if (const auto at = seen(frame, marks[i].range, frame.data.runs[run].origin))
                geometry.stretches.push_back(
                    {{at->from, y, at->to - at->from, step}, geometry.strips.size() - 1, i});
        }
        y += step;
    }
}

} // namespace trainscope::plot
