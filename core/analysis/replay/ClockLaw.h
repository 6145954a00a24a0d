#pragma once
// Power and time of a GPU's work at another clock, and the clock that a power limit leaves. Clocks
// are fractions φ of the one that was measured. Pure; any thread.
//
//     seconds(φ) = s · (1 − b + b/φ)              b: share of the time that follows the clock
//     watts(φ)   = idle · (q + (1 − q)·φ·v²) + (w − idle) · v² / (1 − b + b/φ)
//     v(φ)       = max(lowest, 1 − slope·(1 − φ))
// Switching takes C·V² for each piece of work; the voltage follows the clock down to a floor
// (Guerreiro et al., GPGPU Power Modeling for Multi-Domain Voltage-Frequency Scaling, HPCA 2018).
// The constants are those that explain epochs of five networks on three kinds of GPU under limits
// of 100 to 300 W best (Zeus, NSDI'23); the bounds hold more than nine tenths of them, and what the
// GPUs of the catalogue are estimated to do (slope 0.5).

#include <span>
#include <string_view>
#include <vector>

namespace trainscope::analysis {

// Values with which a step is fastest, likeliest and slowest; the outer two bound nine of ten.
template <typename T>
struct Bounded {
    T fast{};
    T likely{};
    T slow{};
};
using Factors = Bounded<double>;
constexpr Factors exactly(double value) {
    return {value, value, value};
}
// make(pick) for each of the bounds; pick takes that one of anything bounded.
template <typename Make>
Factors forEachBound(const Make& make) {
    return {make([](const auto& bounded) -> const auto& { return bounded.fast; }),
        make([](const auto& bounded) -> const auto& { return bounded.likely; }),
        make([](const auto& bounded) -> const auto& { return bounded.slow; })};
}

struct ClockLaw {
    double slope = 1.25; // voltage over clock
    double lowestVoltage = 0.8;
    double parkedShare = 0.8; // q: part of the idle power that no clock changes
};
inline constexpr Bounded<ClockLaw> kClockLaws{{1.5, 0.65, 0.6}, {}, {0.5, 0.85, 1.0}};

// Work as measured, of one kind.
struct ClockLoad {
    double seconds = 0.0;
    double watts = 0.0; // mean while it runs, idle power included
    double clockBound = 1.0;
    bool isIdle = false; // the power limiter does not count it
};

// Matrix products and attention, by the category of a kernel.
bool isProductCategory(std::string_view category);
// Share of the time of a category that follows the clock. Memory-bound work does in part:
// caches have the clock of the cores.
Factors clockBoundOf(std::string_view category);

double stretchAt(double clockBound, double clock);
double wattsAt(const ClockLoad& load, double idleW, const ClockLaw& law, double clock);

// The mean of what is not idle, as the limiter sees it.
double busyWatts(std::span<const ClockLoad> loads, double idleW, const ClockLaw& law, double clock);
inline constexpr double kLowestClock = 0.17; // an H100's, over its highest
// The highest clock, up to `highest`, at which the mean power of what is not idle keeps the limit;
// the lowest where none does.
double clockUnder(std::span<const ClockLoad> loads, double idleW, const ClockLaw& law,
    double limitW, double highest = 1.0);

// Work of which the mean power alone is known, a share of the time busy: between all of it, and as
// little as the GPU's own limit leaves.
Bounded<std::vector<ClockLoad>> loadsOfMean(
    double seconds, double meanW, double idleW, double ownLimitW, const Factors& clockBound);

} // namespace trainscope::analysis
