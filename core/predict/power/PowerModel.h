#pragma once
// PowerModel: power and clock of a GPU from what it does, under a power limit, a locked clock and
// the temperature that its own power gives it (ThermalNetwork.h). Pure; any thread.

#include "core/predict/power/ThermalNetwork.h"

#include <map>

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

// PowerBasis: what the power and heat of a kind of GPU are predicted from, and how well each of its
// constants is known. Plain values.

// Standard deviations: of the logarithms of constants, K of the inlet.
struct PowerSpread {
    double idle = 0.15;
    double product = 0.15; // matrix products and attention, beyond idle
    double memory = 0.25;
    double communication = 0.4;
    double waiting = 0.4;
    double voltage = 0.2; // its slope's
    double resistance = 0.2;
    double rise = 0.3;
    // Six machines whose power and temperature were recorded stand in air of 26 ± 4 °C; the usual
    // inlet is that of the coldest, whose chips the resistance was fitted to.
    double inletC = 4.0;
    double inletBiasC = 5.0;
    double limit = 0.01; // distance at which the limiter keeps its limit
    // Errors that remain where all constants are known: in the mean power (Zeus traces, work that
    // was not fitted), in the clock (pgolf), and in temperatures (pgolf, K).
    double watts = 0.08;
    double held = 0.03; // busy power where the limit holds it
    double clock = 0.025;
    double celsius = 2.4;
};

struct PowerBasis {
    GpuPower gpu;
    std::optional<NodeAir> air = {}; // usualAir() where absent
    PowerSpread spread = {};
    double demandFactor = 1.0; // told by runs, on the power of work beyond idle
    std::string source = {}; // measured runs that constants come from; empty: the catalogue's alone

    [[nodiscard]] NodeAir airOf(std::size_t gpus) const;
};

// By the catalogue, which says which of its constants were measured.
PowerBasis powerBasisOf(const catalogue::GpuModel& model);

// By the names of kinds of GPU, where measured runs tell more than the catalogue.
using PowerBases = std::map<std::string, PowerBasis>;

} // namespace trainscope::predict
