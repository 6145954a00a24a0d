#include "core/plot/timeline/TimeTicks.h"

#include "core/text/NumberMarks.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <cstdlib>

namespace trainscope::plot {

using text::kDay;
using text::kHour;
using text::kMinute;
using text::kSecond;
using text::TimeUnit;

namespace {

// A defence against absurd spacings: no axis has more.
constexpr std::int64_t kMostTicks = 400;

// Above this the relative axis counts in h:mm:ss.
constexpr std::int64_t kClockFrom = 1000 * kSecond;

// The part that stands before the ticks' own digits, and the form of those.
struct Split {
    std::int64_t base = 0;
    TimeUnit unit{kSecond, "s"};
    int decimals = 0;
    bool used = false;
};

Split splitFor(std::int64_t begin, std::int64_t magnitude, std::int64_t step) {
    Split split;
    split.unit = text::timeUnitFor(magnitude);
    split.decimals = text::decimalsOf(step, split.unit.ns);
    if (split.decimals <= 3)
        return split;
    split.unit = text::timeUnitFor(step);
    split.decimals = 0;
    split.base = text::floorTo(begin, 1000 * split.unit.ns);
    split.used = true;
    return split;
}

std::string hoursText(std::int64_t ns, int decimals = 0) {
    const std::int64_t magnitude = std::abs(ns);
    const std::string seconds = text::decimal(magnitude % kMinute, kSecond, decimals);
    return fmt::format("{}{}:{:02}:{}{}", ns < 0 ? "−" : "", magnitude / kHour,
        magnitude % kHour / kMinute, magnitude % kMinute < 10 * kSecond ? "0" : "",
        text::withMarks(seconds));
}

std::string withUnit(std::int64_t ns, const TimeUnit& unit, int decimals) {
    return text::withMarks(text::decimal(ns, unit.ns, decimals)) + " " + std::string(unit.symbol);
}

// Any time, as of a forged file, has a magnitude.
std::int64_t sinceZero(DurationNs time, std::int64_t zero) {
    return std::max(clampedDifference(time.ns, zero), -kAllTime.end.ns);
}

// Fills in labels of times that count from `zero`.
void labelElapsed(
    TimeTicks& axis, ViewWindow window, std::int64_t zero, const std::string& prefix) {
    const std::int64_t begin = sinceZero(window.begin, zero);
    const std::int64_t magnitude = std::max(std::abs(begin), std::abs(sinceZero(window.end, zero)));
    const bool clock = axis.step.ns >= kSecond && magnitude >= kClockFrom;
    const Split split = splitFor(begin, magnitude, axis.step.ns);
    axis.base = prefix;
    if (split.used) {
        const TimeUnit unit = text::timeUnitFor(std::max(std::abs(split.base), std::int64_t{1}));
        const int decimals = text::decimalsOf(1000 * split.unit.ns, unit.ns);
        axis.base += (prefix.empty() ? "" : " + ") + withUnit(split.base, unit, decimals) + " +";
    }
    for (auto& tick : axis.ticks) {
        const std::int64_t elapsed = sinceZero(tick.time, zero);
        tick.label = clock ? hoursText(elapsed)
                           : withUnit(elapsed - split.base, split.unit, split.decimals);
    }
}

void labelClock(TimeTicks& axis, const TimeContext& context, std::int64_t offset) {
    if (axis.ticks.empty())
        return;
    const TimeNs first = context.origin + axis.ticks.front().time;
    axis.base = text::isDated(first)
        ? text::withDateForm(text::date(first, offset)) + " " + text::zone(offset)
        : "its own clock";
    const int decimals = axis.step.ns < kSecond ? text::decimalsOf(axis.step.ns, kSecond) : 0;
    if (decimals <= 3) {
        for (auto& tick : axis.ticks) {
            const TimeNs time = context.origin + tick.time;
            tick.label = axis.step.ns >= kDay
                ? text::withDateForm(text::date(time, offset))
                : text::withMarks(text::clock(time, offset, decimals));
            if (axis.step.ns >= kMinute && axis.step.ns < kDay)
                tick.label.resize(5);
        }
        return;
    }
    const TimeUnit unit = text::timeUnitFor(axis.step.ns);
    const TimeNs base{text::floorTo(first.ns, 1000 * unit.ns)};
    axis.base = (text::isDated(base) ? text::withDateForm(text::date(base, offset)) + " " : "")
        + text::withMarks(text::clock(base, offset, text::decimalsOf(1000 * unit.ns, kSecond)))
        + " " + text::zone(offset) + " +";
    for (auto& tick : axis.ticks)
        tick.label = withUnit((context.origin + tick.time).ns - base.ns, unit, 0);
}

// Ticks at multiples of the step, counted from `zero` (view time).
TimeTicks regularTicks(ViewWindow window, DurationNs least, std::int64_t zero) {
    TimeTicks axis;
    axis.step = roundTimeStep(least);
    std::int64_t at = clampedSum(zero, text::floorTo(sinceZero(window.begin, zero), axis.step.ns));
    if (at < window.begin.ns)
        at = clampedSum(at, axis.step.ns);
    for (std::int64_t n = 0; at <= window.end.ns && n < kMostTicks; ++n) {
        axis.ticks.push_back({{at}, {}});
        at = clampedSum(at, axis.step.ns);
    }
    return axis;
}

// The last iteration that starts at or before t.
const Iteration* iterationAt(const TimeContext& context, TimeNs time) {
    if (context.iterations == nullptr)
        return nullptr;
    const auto after = std::upper_bound(context.iterations->begin(), context.iterations->end(),
        time, [](TimeNs t, const Iteration& iteration) { return t < iteration.range.begin; });
    return after == context.iterations->begin() ? nullptr : &*(after - 1);
}

TimeTicks iterationTicks(ViewWindow window, DurationNs least, const TimeContext& context) {
    TimeTicks axis;
    axis.base = "iteration";
    axis.step = least;
    std::int64_t visible = 0;
    for (const auto& iteration : *context.iterations) {
        const DurationNs at = iteration.range.begin - context.origin;
        if (at < window.begin || at > window.end)
            continue;
        ++visible;
        if (axis.ticks.empty() || at - axis.ticks.back().time >= least)
            axis.ticks.push_back({at, fmt::format("{}", iteration.index)});
    }
    if (visible >= 2)
        return axis;
    const Iteration* around = iterationAt(context, context.origin + window.begin);
    if (around == nullptr)
        return {};
    const std::int64_t zero = (around->range.begin - context.origin).ns;
    axis = regularTicks(window, least, zero);
    labelElapsed(axis, window, zero, fmt::format("iteration {}", around->index));
    return axis;
}

} // namespace

DurationNs roundTimeStep(DurationNs least) {
    static constexpr std::array kLadder{kSecond, 2 * kSecond, 5 * kSecond, 10 * kSecond,
        15 * kSecond, 30 * kSecond, kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute,
        30 * kMinute, kHour, 2 * kHour, 3 * kHour, 6 * kHour, 12 * kHour, kDay, 2 * kDay, 5 * kDay,
        10 * kDay, 20 * kDay, 50 * kDay, 100 * kDay, 200 * kDay, 500 * kDay, 1000 * kDay,
        10000 * kDay};
    for (std::int64_t power = 1; power < kSecond; power *= 10) {
        for (const std::int64_t multiple : {1, 2, 5}) {
            if (multiple * power >= least.ns)
                return {multiple * power};
        }
    }
    for (const std::int64_t step : kLadder) {
        if (step >= least.ns)
            return {step};
    }
    return {kLadder.back()};
}

TimeTicks timeTicks(ViewWindow window, double minSpacing, const TimeContext& context) {
    if (window.length().ns <= 0 || !(minSpacing > 0.0))
        return {};
    const double least = static_cast<double>(window.length().ns) * std::min(minSpacing, 1.0);
    const DurationNs spacing{
        std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(least)), 1)};
    if (context.display == TimeDisplay::Iteration && context.iterations != nullptr
        && !context.iterations->empty()) {
        TimeTicks axis = iterationTicks(window, spacing, context);
        if (!axis.ticks.empty())
            return axis;
    }
    if (context.display == TimeDisplay::Utc || context.display == TimeDisplay::Local) {
        const std::int64_t offset
            = context.display == TimeDisplay::Local ? context.utcOffsetSeconds : 0;
        const std::int64_t midnight
            = text::floorTo(context.origin.ns + offset * kSecond, kDay) - offset * kSecond;
        TimeTicks axis = regularTicks(window, spacing, midnight - context.origin.ns);
        labelClock(axis, context, offset);
        return axis;
    }
    TimeTicks axis = regularTicks(window, spacing, 0);
    labelElapsed(axis, window, 0, {});
    return axis;
}

std::string timeText(DurationNs time, DurationNs resolution, const TimeContext& context) {
    const std::int64_t fine = std::max<std::int64_t>(resolution.ns, 1);
    int decimals = 0;
    for (std::int64_t quantum = kSecond; quantum > fine && decimals < 9; quantum /= 10)
        ++decimals;
    const TimeNs absolute = context.origin + time;
    if (context.display == TimeDisplay::Utc || context.display == TimeDisplay::Local) {
        const std::int64_t offset
            = context.display == TimeDisplay::Local ? context.utcOffsetSeconds : 0;
        return text::withMarks(text::clock(absolute, offset, decimals)) + " " + text::zone(offset);
    }
    if (context.display == TimeDisplay::Iteration) {
        if (const Iteration* around = iterationAt(context, absolute))
            return fmt::format("iteration {} + {} s", around->index,
                text::withMarks(
                    text::decimal((absolute - around->range.begin).ns, kSecond, decimals)));
    }
    constexpr int kMostInHours = 2; // finer readings are compared with the seconds of a trace
    const std::int64_t magnitude = std::max(std::abs(time.ns), context.farthest.ns);
    return magnitude >= kClockFrom && decimals <= kMostInHours
        ? hoursText(time.ns, decimals)
        : text::withMarks(text::decimal(time.ns, kSecond, decimals)) + " s";
}

std::vector<Iteration> mainIterations(const std::vector<Iteration>& all) {
    int rank = -2;
    for (const auto& iteration : all) {
        if (rank == -2 || iteration.rank < rank)
            rank = iteration.rank;
    }
    std::vector<Iteration> chosen;
    for (const auto& iteration : all) {
        if (iteration.rank == rank)
            chosen.push_back(iteration);
    }
    std::ranges::stable_sort(chosen,
        [](const Iteration& a, const Iteration& b) { return a.range.begin < b.range.begin; });
    return chosen;
}

} // namespace trainscope::plot
