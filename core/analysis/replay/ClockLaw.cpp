#include "core/analysis/replay/ClockLaw.h"

#include <algorithm>
#include <array>
#include <cmath>

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

} // namespace trainscope::analysis
