// A power limit or a clock: kernels follow the clock as far as they compute, the host does not.

#include "core/analysis/replay/ClockLaw.h"

#include "core/analysis/replay/ChangeState.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

double squaredVoltage(const ClockLaw& law, double clock) {
    const double voltage = std::max(law.lowestVoltage, 1.0 - law.slope * (1.0 - clock));
    return voltage * voltage;
}

double idleAt(double idleW, const ClockLaw& law, double clock) {
    const double switching = clock * squaredVoltage(law, clock);
    return idleW * (law.parkedShare + (1.0 - law.parkedShare) * switching);
}

struct GpuLoads {
    Bounded<std::vector<ClockLoad>> loads; // at the measured clock
    Factors idleW;
    double limitW = 0.0; // its own
};

// Power of the categories of work, each with the time that it takes now; else the mean power.
std::optional<GpuLoads> gpuLoads(const ChangeState& state) {
    const ChangeFacts& facts = state.facts;
    GpuLoads out{{}, idleWattsOf(facts), ownLimitOf(facts)};
    if (facts.categories.empty()) {
        if (!facts.meanW || out.limitW <= out.idleW.slow)
            return {};
        const auto of = [&](double idleW) {
            return loadsOfMean(1.0, *facts.meanW, idleW, out.limitW, clockBoundOf("gemm"));
        };
        out.loads = {of(out.idleW.fast).fast, of(out.idleW.likely).likely, of(out.idleW.slow).slow};
        return out;
    }
    // The readings know the whole better than its parts.
    EstimatedEnergy sum{};
    for (const auto& [category, energy] : facts.categories)
        sum = {sum.joules + energy.joules, sum.low + energy.low, sum.high + energy.high};
    const EstimatedEnergy whole = facts.energy.value_or(sum);
    const double low = sum.low > 0.0 ? whole.low / sum.low : 1.0;
    const double high = sum.high > 0.0 ? whole.high / sum.high : 1.0;
    DeviceSeconds now = deviceSeconds(*state.graph, state.times);
    for (const auto& [category, energy] : facts.categories) {
        const auto measured = state.measured.find(category);
        if (measured == state.measured.end() || measured->second <= 0.0)
            continue;
        const bool isIdle = category == "idle";
        const Factors bound = clockBoundOf(category);
        const double nowS = now[category];
        const auto load = [&](double joules, double b, double clock) {
            return ClockLoad{nowS / stretchAt(b, clock), joules / measured->second, b, isIdle};
        };
        out.loads.fast.push_back(load(low * energy.low, bound.fast, state.clock.fast));
        out.loads.likely.push_back(load(energy.joules, bound.likely, state.clock.likely));
        out.loads.slow.push_back(load(high * energy.high, bound.slow, state.clock.slow));
    }
    return out;
}

double highestWatts(const std::vector<ClockLoad>& loads) {
    double watts = 0.0;
    for (const ClockLoad& load : loads)
        watts = load.isIdle ? watts : std::max(watts, load.watts);
    return watts;
}

// The highest clock that may be reached: above the measured one only where a limit that is lower
// than the new one held it.
double highestClock(const ChangeFacts& facts, const GpuLoads& gpu, double drawnW, double limitW) {
    constexpr double kNearLimit = 0.93;
    const bool isHeld = limitW > gpu.limitW && drawnW > kNearLimit * gpu.limitW;
    return isHeld && facts.clockHz && facts.gpu != nullptr && facts.gpu->boostClockHz
        ? std::max(1.0, *facts.gpu->boostClockHz / *facts.clockHz)
        : 1.0;
}

// Kernels at other clocks, fractions of the measured one.
void takeClocks(ChangeState& state, const Factors& clocks) {
    for (std::size_t i = 0; i < state.graph->operations.size(); ++i) {
        const StepOperation& operation = state.graph->operations[i];
        if (!isDeviceWork(operation))
            continue;
        const Factors bound = clockBoundOf(state.graph->categories[operation.category]);
        Factors stretch = forEachBound([&](const auto& pick) {
            return stretchAt(pick(bound), pick(clocks)) / stretchAt(pick(bound), pick(state.clock));
        });
        if (stretch.fast > stretch.slow) // the less follows the clock, the less a higher one gains
            std::swap(stretch.fast, stretch.slow);
        scaleDuration(state, i, stretch);
    }
    state.clock = clocks;
}

constexpr const char* kFollowsClock
    = "products follow the clock by 70 to 100 % of their time, other "
      "kernels by 0 to 70 %, the host not at all.";

} // namespace

bool isProductCategory(std::string_view category) {
    return category == "gemm" || category == "attention" || category.ends_with("compute");
}

Factors clockBoundOf(std::string_view category) {
    constexpr std::array kTransfers{"all_reduce", "reduce_scatter", "all_gather", "all_to_all",
        "send_recv", "broadcast", "communication"};
    if (isProductCategory(category))
        return {0.7, 1.0, 1.0};
    if (std::ranges::find(kTransfers, category) != kTransfers.end())
        return {0.0, 0.1, 0.3};
    return category == "copy" || category == "idle" ? exactly(0.0) : Factors{0.0, 0.25, 0.7};
}

double stretchAt(double clockBound, double clock) {
    return 1.0 - clockBound + clockBound / clock;
}

double wattsAt(const ClockLoad& load, double idleW, const ClockLaw& law, double clock) {
    const double active = std::max(0.0, load.watts - idleW) * squaredVoltage(law, clock);
    const double idle = idleAt(std::min(idleW, load.watts), law, clock);
    return idle + active / stretchAt(load.clockBound, clock);
}

double busyWatts(
    std::span<const ClockLoad> loads, double idleW, const ClockLaw& law, double clock) {
    double seconds = 0.0;
    double joules = 0.0;
    for (const ClockLoad& load : loads) {
        if (load.isIdle)
            continue;
        const double stretched = load.seconds * stretchAt(load.clockBound, clock);
        seconds += stretched;
        joules += stretched * wattsAt(load, idleW, law, clock);
    }
    return seconds > 0.0 ? joules / seconds : 0.0;
}

double clockUnder(std::span<const ClockLoad> loads, double idleW, const ClockLaw& law,
    double limitW, double highest) {
    constexpr int kHalvings = 40;
    if (busyWatts(loads, idleW, law, highest) <= limitW)
        return highest;
    double low = kLowestClock;
    double high = highest;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (low + high);
        (busyWatts(loads, idleW, law, middle) > limitW ? high : low) = middle;
    }
    return low;
}

Bounded<std::vector<ClockLoad>> loadsOfMean(
    double seconds, double meanW, double idleW, double ownLimitW, const Factors& clockBound) {
    constexpr double kLeastBusy = 0.02;
    const double least = std::clamp((meanW - idleW) / (ownLimitW - idleW), kLeastBusy, 1.0);
    const auto loads = [&](double busy, double bound) {
        const double watts = idleW + (meanW - idleW) / busy;
        return std::vector<ClockLoad>{
            {busy * seconds, watts, bound}, {(1.0 - busy) * seconds, idleW, 0.0, true}};
    };
    return {loads(1.0, clockBound.fast), loads(std::sqrt(least), clockBound.likely),
        loads(least, clockBound.slow)};
}

double ownLimitOf(const ChangeFacts& facts) {
    return facts.limitW.value_or(facts.gpu != nullptr ? facts.gpu->powerLimitW.value_or(0.0) : 0.0);
}

Factors idleWattsOf(const ChangeFacts& facts) {
    constexpr Factors kUsualIdle{
        0.13, 0.17, 0.22}; // shares of the power limit; an H100's is likely
    const auto known = facts.gpu != nullptr ? facts.gpu->power.idleW : std::nullopt;
    return forEachBound(
        [&](const auto& pick) { return known.value_or(pick(kUsualIdle) * ownLimitOf(facts)); });
}

Status changePowerLimit(const StepChange& change, ChangeState& state) {
    const auto gpu = gpuLoads(state);
    if (!gpu)
        return usageError("the power of the GPUs while they were traced is not known");
    constexpr double kRounding = 1.0 + 1e-9;
    const double drawnW = busyWatts(gpu->loads.likely, gpu->idleW.likely, kClockLaws.likely, 1.0);
    const double leastW
        = busyWatts(gpu->loads.likely, gpu->idleW.likely, kClockLaws.likely, kLowestClock);
    if (leastW > change.value)
        return usageError(
            fmt::format("GPUs that draw {} at this work draw about {} at their lowest "
                        "clock, so that they do not keep {}",
                text::rounded(drawnW, "W"), text::rounded(leastW, "W"),
                text::quantity(change.value, "W")));
    const double highest = highestClock(state.facts, *gpu, drawnW, change.value);
    // A mean does not tell the highest: parts may draw up to the GPU's own limit.
    const auto& highestLoads = state.facts.categories.empty() ? gpu->loads.slow : gpu->loads.likely;
    const bool isAbove = highest == 1.0 && highestWatts(highestLoads) <= kRounding * change.value;
    const Factors clocks = forEachBound([&](const auto& pick) {
        const double clock = clockUnder(
            pick(gpu->loads), pick(gpu->idleW), pick(kClockLaws), change.value, highest);
        return isAbove      ? pick(state.clock)
            : highest > 1.0 ? clock
                            : std::min(clock, pick(state.clock));
    });
    takeClocks(state, clocks);
    const auto [low, high] = std::minmax(clocks.fast, clocks.slow);
    state.assumption = fmt::format("GPUs draw {} while they work", text::rounded(drawnW, "W"))
        + (isAbove ? std::string(", less than the limit: it changes nothing.")
                   : fmt::format("; the limit leaves {} of the clock ({} to {}), and {}",
                       text::roundedPercent(clocks.likely), text::roundedPercent(low),
                       text::roundedPercent(high), kFollowsClock));
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
        text::quantity(*measured, "Hz"), kFollowsClock);
    return {};
}

} // namespace trainscope::analysis
