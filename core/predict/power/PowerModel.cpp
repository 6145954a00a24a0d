#include "core/predict/power/PowerModel.h"

#include <algorithm>
#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kAlwaysDrawn = 0.4; // of the power beyond idle, by whatever runs

// The highest clock whose power is not above the limit; power grows with the clock.
template <typename PowerAt>
double highestClock(double lowest, double highest, double limitW, const PowerAt& powerAt) {
    if (powerAt(highest) <= limitW)
        return highest;
    if (powerAt(lowest) >= limitW)
        return lowest;
    constexpr int kHalvings = 40;
    double low = lowest;
    double high = highest;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (low + high);
        (powerAt(middle) > limitW ? high : low) = middle;
    }
    return low;
}

template <typename Stretch>
MeanPower meanOver(const GpuPower& gpu, std::span<const TimedLoad> loads, double clock,
    double celsius, const Stretch& stretch) {
    MeanPower out;
    double joules = 0.0;
    double busySeconds = 0.0;
    double busyJoules = 0.0;
    for (const TimedLoad& load : loads) {
        const double seconds = load.seconds * stretch(load);
        const double energy = seconds * powerOf(gpu, load, clock, celsius);
        out.seconds += seconds;
        joules += energy;
        if (load.isWaiting)
            continue;
        busySeconds += seconds;
        busyJoules += energy;
    }
    const double idle = idlePower(gpu, clock, celsius);
    out.watts = out.seconds > 0.0 ? joules / out.seconds : idle;
    out.busyW = busySeconds > 0.0 ? busyJoules / busySeconds : idle;
    return out;
}

double lowestClock(const GpuPower& gpu) {
    return std::min(1.0, gpu.lowestHz / gpu.boostHz);
}

} // namespace

std::string_view toString(ClockLimit limit) {
    switch (limit) {
    case ClockLimit::Locked:
        return "locked";
    case ClockLimit::Power:
        return "power";
    case ClockLimit::Temperature:
        return "temperature";
    case ClockLimit::None:
        break;
    }
    return "none";
}

std::vector<TimedLoad> loadsOf(const GpuPower& gpu, const ActivityTimes& times) {
    std::vector<TimedLoad> loads;
    for (const Activity activity : kAllActivities) {
        const ActivityTime& time = times[activity];
        if (time.seconds > 0.0)
            loads.push_back({time.seconds, gpu.activeW[activity] * time.intensity,
                gpu.clockBound[activity], activity == Activity::Waiting});
    }
    return loads;
}

double intensityOf(double achieved, double usual) {
    if (usual <= 0.0)
        return 1.0;
    return kAlwaysDrawn + (1.0 - kAlwaysDrawn) * std::max(0.0, achieved) / usual;
}

double rateAt(double clockBound, double clock) {
    return 1.0 / (1.0 - clockBound + clockBound / clock);
}

double idlePower(const GpuPower& gpu, double clock, double celsius) {
    const double voltage = gpu.voltage.at(clock);
    const double switching = (gpu.idleW - gpu.parkedW) * clock * voltage * voltage;
    return (gpu.parkedW + switching) * (1.0 + gpu.leakage * (celsius - kReferenceC));
}

double powerOf(const GpuPower& gpu, const TimedLoad& load, double clock, double celsius) {
    const double voltage = gpu.voltage.at(clock);
    return idlePower(gpu, clock, celsius)
        + load.activeW * rateAt(load.clockBound, clock) * voltage * voltage;
}

MeanPower meanPower(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double clock, double celsius) {
    return meanOver(gpu, loads, clock, celsius,
        [clock](const TimedLoad& load) { return 1.0 / rateAt(load.clockBound, clock); });
}

MeanPower meanPowerPlayed(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double clock, double celsius) {
    return meanOver(gpu, loads, clock, celsius, [](const TimedLoad&) { return 1.0; });
}

SteadyPower steadyPower(
    const GpuPower& gpu, std::span<const TimedLoad> loads, const Surroundings& surroundings) {
    const double lowest = lowestClock(gpu);
    const double locked
        = std::clamp(surroundings.clockHz.value_or(gpu.boostHz) / gpu.boostHz, lowest, 1.0);
    const double limitW = surroundings.limitW.value_or(gpu.limitW);
    SteadyPower out;
    out.celsius = surroundings.airC;
    constexpr int kMostRounds = 60;
    constexpr double kSteadyC = 1e-7;
    for (int round = 0; round < kMostRounds; ++round) {
        const double celsius = out.celsius;
        const auto busyAt
            = [&](double clock) { return meanPower(gpu, loads, clock, celsius).busyW; };
        const auto hotAt = [&](double clock) {
            return surroundings.airC
                + gpu.thermal.resistance
                * meanPower(gpu, loads, clock, std::min(celsius, gpu.slowdownC)).watts;
        };
        const double capped = highestClock(lowest, locked, limitW, busyAt);
        out.clock = highestClock(lowest, capped, gpu.slowdownC, hotAt);
        out.limit = out.clock < capped ? ClockLimit::Temperature
            : capped < locked          ? ClockLimit::Power
            : locked < 1.0             ? ClockLimit::Locked
                                       : ClockLimit::None;
        const MeanPower mean = meanPower(gpu, loads, out.clock, celsius);
        out.watts = mean.watts;
        out.busyW = mean.busyW;
        out.celsius = surroundings.airC + gpu.thermal.resistance * mean.watts;
        if (std::abs(out.celsius - celsius) < kSteadyC)
            break;
    }
    double full = 0.0;
    for (const TimedLoad& load : loads)
        full += load.seconds;
    out.clockHz = out.clock * gpu.boostHz;
    out.computeSlowdown = 1.0 / out.clock;
    out.slowdown = full > 0.0 ? meanPower(gpu, loads, out.clock, out.celsius).seconds / full : 1.0;
    return out;
}

Relimited relimited(
    const GpuPower& gpu, const ActivityTimes& usualTimes, const Surroundings& surroundings) {
    // Played seconds at clock φ are rate(φ) as many at the highest; the usual clock is the one
    // that those at the highest settle at.
    double usualClock = 1.0;
    ActivityTimes full;
    Relimited out;
    constexpr int kMostRounds = 40;
    constexpr double kSteadyClock = 1e-9;
    for (int round = 0; round < kMostRounds; ++round) {
        full = usualTimes;
        for (const Activity activity : kAllActivities)
            full[activity].seconds *= rateAt(gpu.clockBound[activity], usualClock);
        out.usual = steadyPower(gpu, loadsOf(gpu, full), {{}, {}, surroundings.airC});
        const double change = out.usual.clock - usualClock;
        usualClock = out.usual.clock;
        if (std::abs(change) < kSteadyClock)
            break;
    }
    out.now = steadyPower(gpu, loadsOf(gpu, full), surroundings);
    double before = 0.0;
    double after = 0.0;
    for (const Activity activity : kAllActivities) {
        const double bound = gpu.clockBound[activity];
        out.factors[activity] = rateAt(bound, usualClock) / rateAt(bound, out.now.clock);
        before += usualTimes[activity].seconds;
        after += usualTimes[activity].seconds * out.factors[activity];
    }
    out.factor = before > 0.0 ? after / before : 1.0;
    return out;
}

double clockOfPlayed(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double limitW, double celsius) {
    return highestClock(lowestClock(gpu), 1.0, limitW,
        [&](double clock) { return meanPowerPlayed(gpu, loads, clock, celsius).busyW; });
}

} // namespace trainscope::predict
