// A power limit or a clock: kernels follow the clock as far as they compute, the host does not.

#include "core/analysis/replay/ChangeState.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::analysis {

namespace {

// Share of the time of work that follows the clock. What waits for memory does in part: caches have
// the clock of the cores.
constexpr Factors kComputeBound{0.7, 1.0, 1.0};
constexpr Factors kMemoryBound{0.0, 0.25, 0.7};
constexpr Factors kTransferBound{0.0, 0.1, 0.3};
constexpr Factors kCopyBound{0.0, 0.0, 0.1};

constexpr double kUsualIdle = 0.17; // share of the power limit, as an H100's
constexpr double kNearLimit = 0.93; // share of it at which the limit holds the clock

Factors clockBoundOf(const ChangeState& state, const StepOperation& operation) {
    if (isTransferWork(operation))
        return kTransferBound;
    if (operation.kind == OperationKind::Copy)
        return kCopyBound;
    return isComputeBound(state, operation) ? kComputeBound : kMemoryBound;
}

// make(pick) for each of the bounds; pick takes that one of anything bounded.
template <typename Make>
Factors forEachBound(const Make& make) {
    return {make([](const auto& bounded) -> const auto& { return bounded.fast; }),
        make([](const auto& bounded) -> const auto& { return bounded.likely; }),
        make([](const auto& bounded) -> const auto& { return bounded.slow; })};
}

// Of each category the bounds of its work: means over its time.
std::map<std::string, Factors> clockBounds(const ChangeState& state) {
    std::map<std::string, Factors> bounds;
    std::map<std::string, double> all;
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        const StepOperation& operation = state.graph->operations[i];
        if (!isDeviceWork(operation))
            continue;
        const auto ns = std::max(1.0, static_cast<double>(operation.duration.ns));
        const Factors bound = clockBoundOf(state, operation);
        Factors& sum = bounds[categoryNameOf(*state.graph, operation)];
        sum = forEachBound([&](const auto& pick) { return pick(sum) + ns * pick(bound); });
        all[categoryNameOf(*state.graph, operation)] += ns;
    }
    for (auto& [category, sum] : bounds) {
        const double ns = all[category];
        const Factors whole = sum;
        sum = forEachBound([&](const auto& pick) { return pick(whole) / ns; });
    }
    return bounds;
}

struct GpuLoads {
    Bounded<std::vector<ClockLoad>> loads; // at the measured clock
    double idleW = 0.0;
};

double ownLimitW(const ChangeFacts& facts) {
    return facts.limitW.value_or(facts.gpu != nullptr ? facts.gpu->powerLimitW.value_or(0.0) : 0.0);
}

double usualIdleW(const ChangeFacts& facts) {
    const double share = kUsualIdle * ownLimitW(facts);
    return facts.gpu != nullptr ? facts.gpu->power.idleW.value_or(share) : share;
}

// Power of the categories of work, each with the time that it takes now.
GpuLoads loadsOfCategories(const ChangeState& state) {
    GpuLoads out{{}, usualIdleW(state.facts)};
    const auto bounds = clockBounds(state);
    const DeviceSeconds now = deviceSeconds(*state.graph, state.times);
    for (const auto& [category, energy] : state.facts.categories) {
        const auto measured = state.measured.find(category);
        const auto seconds = now.find(category);
        if (measured == state.measured.end() || measured->second <= 0.0 || seconds == now.end())
            continue;
        const bool isIdle = category == "idle";
        if (isIdle)
            out.idleW = energy.joules / measured->second;
        const auto found = bounds.find(category);
        const Factors bound = found == bounds.end() ? exactly(0.0) : found->second;
        const auto load = [&](double joules, double b, double clock) {
            return ClockLoad{
                seconds->second / stretchAt(b, clock), joules / measured->second, b, isIdle};
        };
        out.loads.fast.push_back(load(energy.low, bound.fast, state.clock.fast));
        out.loads.likely.push_back(load(energy.joules, bound.likely, state.clock.likely));
        out.loads.slow.push_back(load(energy.high, bound.slow, state.clock.slow));
    }
    return out;
}

std::optional<GpuLoads> gpuLoads(const ChangeState& state) {
    if (!state.facts.categories.empty())
        return loadsOfCategories(state);
    const double idleW = usualIdleW(state.facts);
    if (!state.facts.meanW || ownLimitW(state.facts) <= idleW)
        return {};
    return GpuLoads{
        loadsOfMean(1.0, *state.facts.meanW, idleW, ownLimitW(state.facts), kComputeBound), idleW};
}

double busyMeanW(const std::vector<ClockLoad>& loads) {
    double joules = 0.0;
    double seconds = 0.0;
    for (const ClockLoad& load : loads) {
        joules += load.isIdle ? 0.0 : load.seconds * load.watts;
        seconds += load.isIdle ? 0.0 : load.seconds;
    }
    return seconds > 0.0 ? joules / seconds : 0.0;
}

// The highest clock that may be reached: above the measured one only where a limit that is lower
// than the new one held it.
double highestClock(const ChangeState& state, double drawnW, double limitW) {
    const ChangeFacts& facts = state.facts;
    const double ownW = ownLimitW(facts);
    const bool isHeld = ownW > 0.0 && limitW > ownW && drawnW > kNearLimit * ownW;
    if (!isHeld || !facts.clockHz || facts.gpu == nullptr || !facts.gpu->boostClockHz)
        return 1.0;
    return std::max(1.0, *facts.gpu->boostClockHz / *facts.clockHz);
}

// Power of each category at the clock, over the measured one.
void takePowers(ChangeState& state) {
    const GpuLoads gpu = loadsOfCategories(state);
    const auto bounds = clockBounds(state);
    for (const auto& [category, energy] : state.facts.categories) {
        const auto measured = state.measured.find(category);
        const auto found = bounds.find(category);
        if (measured == state.measured.end() || measured->second <= 0.0)
            continue;
        const Factors bound = found == bounds.end() ? exactly(0.0) : found->second;
        const double watts = energy.joules / measured->second;
        state.power[category] = forEachBound([&](const auto& pick) {
            const ClockLoad load{1.0, watts, pick(bound), false};
            return wattsAt(load, gpu.idleW, pick(kClockLaws), pick(state.clock)) / watts;
        });
    }
}

// Kernels at other clocks, fractions of the measured one.
void takeClocks(ChangeState& state, const Factors& clocks) {
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        const StepOperation& operation = state.graph->operations[i];
        if (!isDeviceWork(operation))
            continue;
        const Factors bound = clockBoundOf(state, operation);
        Factors stretch = forEachBound([&](const auto& pick) {
            return stretchAt(pick(bound), pick(clocks)) / stretchAt(pick(bound), pick(state.clock));
        });
        if (stretch.fast > stretch.slow) // the less follows the clock, the less a higher one gains
            std::swap(stretch.fast, stretch.slow);
        scaleDuration(state, i, stretch);
    }
    state.clock = clocks;
    takePowers(state);
}

constexpr const char* kFollows = "products follow the clock by 70 to 100 % of their time, other "
                                 "kernels by 0 to 70 %, the host not at all.";

} // namespace

Status changePowerLimit(const StepChange& change, ChangeState& state) {
    const auto gpu = gpuLoads(state);
    if (!gpu)
        return usageError("the power of the GPUs while they were traced is not known");
    const double drawnW = busyMeanW(gpu->loads.likely);
    const double highest = highestClock(state, drawnW, change.value);
    Factors clocks = forEachBound([&](const auto& pick) {
        return clockUnder(pick(gpu->loads), gpu->idleW, pick(kClockLaws), change.value, highest);
    });
    if (highest == 1.0 && drawnW <= change.value)
        clocks = exactly(1.0);
    if (highest == 1.0)
        clocks = forEachBound(
            [&](const auto& pick) { return std::min(pick(clocks), pick(state.clock)); });
    takeClocks(state, clocks);
    const std::string drawn = text::rounded(drawnW, "W");
    state.assumption = clocks.slow == 1.0 && highest == 1.0
        ? fmt::format(
            "GPUs draw {} while they work, less than the limit: it changes nothing.", drawn)
        : fmt::format("GPUs draw {} while they work; the limit leaves {} of the clock ({} to {}), "
                      "and {}",
            drawn, text::roundedPercent(clocks.likely),
            text::roundedPercent(std::min(clocks.fast, clocks.slow)),
            text::roundedPercent(std::max(clocks.fast, clocks.slow)), kFollows);
    return {};
}

Status changeClock(const StepChange& change, ChangeState& state) {
    constexpr double kRounding = 1.02;
    const ChangeFacts& facts = state.facts;
    const auto boost = facts.gpu != nullptr ? facts.gpu->boostClockHz : std::nullopt;
    const auto measured = facts.clockHz ? facts.clockHz : boost;
    if (!measured)
        return usageError("the clock of the GPUs is not known");
    if (boost && change.value > kRounding * std::max(*boost, *measured))
        return usageError(
            fmt::format("{} goes up to {}", facts.gpu->name, text::quantity(*boost, "Hz")));
    takeClocks(state, exactly(change.value / *measured));
    state.assumption = fmt::format("{} {}; {}",
        facts.clockHz ? "GPUs ran at" : "No clock was recorded: GPUs are taken to have run at",
        text::quantity(*measured, "Hz"), kFollows);
    return {};
}

} // namespace trainscope::analysis
