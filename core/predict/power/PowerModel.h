#pragma once
// PowerModel: power and clock of a GPU from what it does, under a power limit, a locked clock and
// the temperature that its own power gives it (GpuPower.h). Pure; any thread.

#include "core/model/EnumNames.h"
#include "core/predict/power/GpuPower.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace trainscope::predict {

// A kind of work, and the seconds that it takes at the highest clock.
struct TimedLoad {
    double seconds = 0.0;
    double activeW = 0.0; // beyond idle, at the highest clock
    double clockBound = 0.0; // share of the seconds that follows the clock
    // The power limiter averages over less than a wait for another stage takes, and over more than
    // a kernel: it sees the mean of what is no waiting.
    bool isWaiting = false;
};

// Seconds of each activity of a step at the highest clock. intensity: how much of the usual power
// beyond idle it draws.
struct ActivityTime {
    double seconds = 0.0;
    double intensity = 1.0;
    bool isBrief = false; // waits between kernels, which the power limiter does not tell from work
};
using ActivityTimes = ByActivity<ActivityTime>;

std::vector<TimedLoad> loadsOf(const GpuPower& gpu, const ActivityTimes& times);

// The rate of work that is bound by the clock for a share of its time, 1 at the highest clock.
double rateAt(double clockBound, double clock);
// W at a clock (fraction of the highest) and a temperature.
double idlePower(const GpuPower& gpu, double clock, double celsius);
double powerOf(const GpuPower& gpu, const TimedLoad& load, double clock, double celsius);

struct MeanPower {
    double seconds = 0.0; // all together, at that clock
    double watts = 0.0; // mean over them
    double busyW = 0.0; // mean over what is no waiting; idle where all is
};
MeanPower meanPower(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double clock, double celsius);
// The same where the seconds are those at that clock, as of a timeline that is what was played.
MeanPower meanPowerPlayed(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double clock, double celsius);

// The limit that holds the clock down.
enum class ClockLimit { None, Locked, Power, Temperature };
constexpr auto namesOf(ClockLimit) {
    return enumNames("none", "locked", "power", "temperature");
}
constexpr auto titlesOf(ClockLimit) {
    return enumNames(
        "nothing holds it", "locked", "held by the power limit", "held by the temperature");
}
using trainscope::titleOf;

struct Surroundings {
    std::optional<double> limitW; // absent: the GPU's own
    std::optional<double> clockHz; // absent: not locked
    double airC = 21.0; // around its heat sink
};

struct SteadyPower {
    double clock = 1.0; // fraction of the highest
    double clockHz = 0.0;
    double watts = 0.0; // mean
    double busyW = 0.0;
    double celsius = 0.0;
    double slowdown = 1.0; // on all seconds together
    ClockLimit limit = ClockLimit::None;
};

// Clock, power and temperature that no longer change: T = air + R·P(φ, T), with the highest φ at
// which the busy mean keeps the power limit and T the slowdown temperature. At the lowest clock
// either may be exceeded.
SteadyPower steadyPower(
    const GpuPower& gpu, std::span<const TimedLoad> loads, const Surroundings& surroundings);

// The same of loads whose seconds are those at the clock that is found, as in a timeline that is
// already as slow as these surroundings make it.
SteadyPower playedPower(
    const GpuPower& gpu, std::span<const TimedLoad> loads, const Surroundings& surroundings);

// A step whose seconds are those that the GPU takes as it usually is, at its own limit: what they
// become otherwise. Rates that were fitted to training runs have the usual clock in them.
struct Relimited {
    SteadyPower usual;
    SteadyPower now;
    ByActivity<double> factors; // on the seconds of each activity
    double factor = 1.0; // on all together
};
Relimited relimited(
    const GpuPower& gpu, const ActivityTimes& usualTimes, const Surroundings& surroundings);

// The fraction at which a clock is locked: no lower and no higher than the GPU goes. 1 where it is
// not.
double lockedClock(const GpuPower& gpu, std::optional<double> clockHz);

// Fraction of the clock that heat leaves: above the slowdown temperature 6 % less for every degree,
// down to a half. Estimated; drivers do not say.
double clockLeftByHeat(const GpuPower& gpu, double celsius);

// The highest clock at which what was played keeps the limit, at a temperature that does not
// change; fraction.
double clockOfPlayed(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double limitW, double celsius);

} // namespace trainscope::predict
