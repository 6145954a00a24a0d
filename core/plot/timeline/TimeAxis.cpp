#include "core/plot/timeline/LaneFrame.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

// More strips would be a table, not an axis.
constexpr std::size_t kFewTicks = 4;

double labelRow(const Theme& theme) {
    return 1.35 * theme.size(TextRole::Small) + 2.0 * theme.spacing;
}

double stripRow(const Theme& theme) {
    return 1.5 * theme.size(TextRole::Small);
}

bool isWarmup(const LaneFrame& frame, std::size_t run, const Iteration& iteration) {
    const auto* overlays = frame.style.overlays;
    if (iteration.warmup || overlays == nullptr || run >= overlays->size())
        return iteration.warmup;
    const auto& warmup = (*overlays)[run].warmup;
    return std::ranges::binary_search(warmup, iteration.index);
}

std::vector<std::size_t> runsWithStrips(const TimelineData& data, const TimelineStyle& style) {
    std::vector<std::size_t> runs;
    for (std::size_t i = 0; i < data.iterations.size() && runs.size() < kMostStrips; ++i) {
        if (!shownIterations(data, style.overlays, i).empty())
            runs.push_back(i);
    }
    return runs;
}

std::string iterationLabel(const LaneFrame& frame, const Iteration& iteration, double room) {
    const std::string full = fmt::format("iteration {}", iteration.index);
    const std::string marked = full + " · warm-up";
    if (iteration.warmup && frame.width(marked) <= room)
        return marked;
    if (frame.width(full) <= room)
        return full;
    const std::string number = fmt::format("{}", iteration.index);
    return frame.width(number) <= room ? number : std::string();
}

// An iteration as it is drawn.
struct IterationCell {
    Rect rect;
    std::int64_t index = 0;
    bool isNamed = false; // inside
};

// Returns true where the label says what it counts.
bool drawIteration(const LaneFrame& frame, const Iteration& iteration, IterationCell& cell) {
    frame.fill(cell.rect, frame.theme.raised);
    if (iteration.warmup)
        frame.hatch(cell.rect);
    const double pad = frame.gap();
    std::string label = iterationLabel(frame, iteration, cell.rect.width - 2.0 * pad);
    const bool telling = label.find(' ') != std::string::npos;
    cell.isNamed = !label.empty();
    frame.note(
        {cell.rect.x + pad, frame.centred(cell.rect.y + cell.rect.height / 2.0)}, std::move(label));
    return telling;
}

// The smallest of 1, 2, 5, 10, … that is at least so much.
std::int64_t roundStride(double least) {
    std::int64_t power = 1;
    while (static_cast<double>(10 * power) < least)
        power *= 10;
    for (const std::int64_t multiple : {1, 2, 5}) {
        if (static_cast<double>(multiple * power) >= least)
            return multiple * power;
    }
    return 10 * power;
}

// Width of the widest number of cells that have none inside.
double narrowLabel(const LaneFrame& frame, const std::vector<IterationCell>& cells) {
    std::int64_t largest = 0;
    for (const auto& cell : cells)
        largest = cell.isNamed ? largest : std::max(largest, cell.index);
    return frame.width(fmt::format("{}", largest));
}

// The mean width of those cells.
double narrowWidth(const std::vector<IterationCell>& cells) {
    double width = 0.0;
    double count = 0.0;
    for (const auto& cell : cells) {
        width += cell.isNamed ? 0.0 : cell.rect.width;
        count += cell.isNamed ? 0.0 : 1.0;
    }
    return std::max(count > 0.0 ? width / count : 1.0, 0.01);
}

// Numbers of iterations that are narrower than their labels: the first of those that follow each
// other and then every so many, each over those behind it, with a mark where its own begins.
void numberNarrow(const LaneFrame& frame, const std::vector<IterationCell>& cells) {
    const double pad = 0.5 * frame.gap();
    const double needed = narrowLabel(frame, cells) + 3.0 * pad;
    const std::int64_t stride = roundStride(needed / narrowWidth(cells));
    double free = frame.scale.x;
    double before = -1e300; // end of the cell before
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const IterationCell& cell = cells[i];
        const bool isFirst = cell.rect.x - before > needed;
        before = cell.rect.right();
        if (cell.isNamed) {
            free = cell.rect.right();
            continue;
        }
        if ((!isFirst && cell.index % stride != 0) || cell.rect.x < free)
            continue;
        const std::string number = fmt::format("{}", cell.index);
        const double end = cell.rect.x + frame.width(number) + 2.0 * pad;
        std::size_t next = i + 1;
        while (next < cells.size() && cells[next].rect.x < end && !cells[next].isNamed)
            ++next;
        const bool isInWay = next < cells.size() && cells[next].rect.x < end;
        if (isInWay || end > frame.scale.right())
            continue;
        frame.line({cell.rect.x, cell.rect.y}, {cell.rect.x, cell.rect.bottom()},
            frame.theme.textSecondary);
        frame.note(
            {cell.rect.x + pad, frame.centred(cell.rect.y + cell.rect.height / 2.0)}, number);
        free = end + pad;
    }
}

void drawStrip(const LaneFrame& frame, TimelineGeometry& geometry) {
    const std::size_t run = geometry.strips.back().run;
    const TimeNs origin = frame.data.runs[run].origin;
    const double top = geometry.strips.back().rect.y;
    const double height = geometry.strips.back().rect.height;
    double drawn = -1.0;
    bool telling = false;
    std::vector<IterationCell> cells;
    const auto& iterations = shownIterations(frame.data, frame.style.overlays, run);
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        Iteration iteration = iterations[i];
        iteration.warmup = isWarmup(frame, run, iteration);
        // Iterations within one unit of the last drawn one cannot be seen apart.
        const double end = frame.scale.toX(iteration.range.end - origin);
        if (end < frame.scale.x || end - drawn < 0.5)
            continue;
        const double from
            = std::max(frame.scale.toX(iteration.range.begin - origin), frame.scale.x);
        if (from > frame.scale.right())
            break;
        drawn = end;
        const double width = std::min(end, frame.scale.right()) - from;
        if (width <= 0.0)
            continue;
        // Narrower ones merge into a plain bar; hundreds of separators would be noise.
        const double separator = width > 4.0 ? frame.theme.lineWidth : 0.0;
        cells.push_back({{from, top, std::max(width - separator, 0.1), height}, iteration.index});
        telling = drawIteration(frame, iteration, cells.back()) || telling;
        geometry.stretches.push_back({cells.back().rect, geometry.strips.size() - 1, i});
    }
    numberNarrow(frame, cells);
    if (frame.data.runs.size() > 1)
        drawRunMark(frame, run, top, height);
    if (!telling && drawn >= 0.0)
        frame.note({frame.scale.x - 1.5 * frame.gap(), frame.centred(top + height / 2.0)},
            "iteration", Align::Right);
}

double widestLabel(const TimeTicks& ticks, const TimelineStyle& style) {
    double widest = 0.0;
    for (const auto& tick : ticks.ticks)
        widest = std::max(widest, style.measure(tick.label, TextRole::Small, false));
    return widest;
}

// A narrow figure needs a few marks to be read by: as close as their labels let them stand.
TimeTicks closerTicks(TimeTicks ticks, const TimelineStyle& style, const TimeScale& scale,
    const TimeContext& context) {
    const double size = style.theme->size(TextRole::Small);
    const double least = widestLabel(ticks, style) + 1.2 * size;
    TimeTicks closer = timeTicks(scale.window, least / scale.width, context);
    if (closer.ticks.size() < 2)
        return ticks;
    const double between = scale.toX(closer.ticks[1].time) - scale.toX(closer.ticks[0].time);
    return widestLabel(closer, style) + 0.8 * size <= between ? closer : ticks;
}

} // namespace

double timeAxisHeight(const TimelineData& data, const TimelineStyle& style) {
    const double strips = static_cast<double>(runsWithStrips(data, style).size());
    return labelRow(*style.theme) + captureStripsHeight(data, *style.theme)
        + strips * stripRow(*style.theme) + throttleStripsHeight(data, style)
        + style.theme->spacing;
}

TimeTicks ticksOf(const TimelineData& data, const TimelineStyle& style, const TimeScale& scale) {
    if (scale.width <= 0.0)
        return {};
    TimeContext context;
    context.display = style.time;
    context.utcOffsetSeconds = style.utcOffsetSeconds;
    if (!data.runs.empty())
        context.origin = data.runs.front().origin;
    if (!data.iterations.empty())
        context.iterations = &data.iterations.front();
    // Twice: the first guess at the width of a label decides the step, which decides the labels.
    // Numbers of iterations are short.
    const double guess = style.time == TimeDisplay::Iteration ? 2.0 : 6.5;
    double spacing = guess * style.theme->size(TextRole::Small);
    TimeTicks ticks = timeTicks(scale.window, spacing / scale.width, context);
    const double widest = widestLabel(ticks, style);
    if (widest + 1.5 * style.theme->size(TextRole::Small) > spacing) {
        spacing = widest + 1.5 * style.theme->size(TextRole::Small);
        ticks = timeTicks(scale.window, spacing / scale.width, context);
    }
    return ticks.ticks.size() < kFewTicks ? closerTicks(ticks, style, scale, context) : ticks;
}

void drawTimeAxis(
    const LaneFrame& frame, const TimeTicks& ticks, double top, TimelineGeometry& geometry) {
    const double y = frame.centred(top + labelRow(frame.theme) / 2.0);
    const double left = frame.lane.x + 3.0 * frame.gap();
    const double room = frame.scale.x - left - frame.gap();
    frame.note({left, y}, frame.fitted(ticks.base, room));
    for (const auto& tick : ticks.ticks) {
        const double x = frame.scale.toX(tick.time);
        const double half = frame.width(tick.label) / 2.0;
        // Labels stay within the plot: the ones at its ends are moved inwards.
        const double centre = std::clamp(
            x, frame.scale.x + half, std::max(frame.scale.right() - half, frame.scale.x + half));
        frame.note({centre, y}, tick.label, Align::Centre);
    }
    double strip = top + labelRow(frame.theme);
    drawCaptureStrips(frame, strip, geometry);
    strip += captureStripsHeight(frame.data, frame.theme);
    for (const std::size_t run : runsWithStrips(frame.data, frame.style)) {
        const double height = stripRow(frame.theme) - 0.5 * frame.gap();
        geometry.strips.push_back(
            {{frame.scale.x, strip, frame.scale.width, height}, run, StretchKind::Iteration});
        drawStrip(frame, geometry);
        strip += stripRow(frame.theme);
    }
    drawThrottleStrips(frame, strip, geometry);
    const double bottom = top + timeAxisHeight(frame.data, frame.style);
    frame.line({frame.lane.x, bottom}, {frame.scale.right(), bottom}, frame.theme.line);
}

} // namespace trainscope::plot
