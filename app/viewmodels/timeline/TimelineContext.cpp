#include "app/viewmodels/timeline/TimelineContext.h"

#include "app/viewmodels/text/HumanText.h"
#include "core/figures/timeline/TimelineFigure.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {

const plot::ShownRun* findRun(const std::vector<plot::ShownRun>& runs, RunId id) {
    const auto found = std::ranges::find(runs, id, &plot::ShownRun::id);
    return found == runs.end() ? nullptr : &*found;
}

bool TimelineContext::isCursorVisible() const {
    return isReady() && cursor && window.window().begin <= *cursor
        && *cursor <= window.window().end;
}

DurationNs TimelineContext::middle() const {
    const plot::ViewWindow& seen = window.window();
    return seen.begin + DurationNs{seen.length().ns / 2};
}

DurationNs TimelineContext::point() const {
    return isCursorVisible() ? *cursor : middle();
}

std::vector<int> TimelineContext::ranks() const {
    std::vector<int> ranks;
    if (!catalogue)
        return ranks;
    for (const auto& run : catalogue->tables.runs) {
        for (const auto& gpu : run.gpus)
            ranks.push_back(gpu.rank);
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

bool TimelineContext::shows(const std::vector<plot::ShownRun>& those) const {
    return std::equal(those.begin(), those.end(), runs.begin(), runs.end(),
        [](const auto& one, const auto& other) { return one.id == other.id; });
}

TimelineHit TimelineContext::hitAt(double x, double y) const {
    // The picture may still be of runs that have just been changed for others.
    if (isDrawn() && shows(drawn->runs))
        return hitTest(*drawn, *geometry, axis, {x, y}, overlays.get());
    TimelineHit hit;
    hit.time = axis.toTime(x);
    return hit;
}

DurationNs TimelineContext::timeAt(double x) const {
    return axis.toTime(std::clamp(x, axis.x, axis.right()));
}

DurationNs TimelineContext::pixelLength() const {
    const double pixels = std::max(1.0, axis.width);
    const auto length = static_cast<double>(window.window().length().ns);
    return {std::max<std::int64_t>(1, std::llround(length / pixels))};
}

plot::TimeContext TimelineContext::wording() const {
    plot::TimeContext context;
    context.display = display;
    if (runs.empty() || !catalogue)
        return context;
    context.origin = runs.front().origin;
    context.utcOffsetSeconds
        = display == plot::TimeDisplay::Local ? localUtcOffsetSeconds(context.origin) : 0;
    context.iterations = &catalogue->tables.runs.front().iterations;
    const plot::ViewWindow shown = window.window();
    context.farthest = {std::max(std::abs(shown.begin.ns), std::abs(shown.end.ns))};
    return context;
}

QString TimelineContext::textOf(DurationNs time) const {
    return QString::fromStdString(plot::timeText(time, pixelLength(), wording()));
}

} // namespace trainscope::app
