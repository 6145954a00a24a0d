#include "core/predict/power/PowerModel.h"

#include "core/model/Gather.h"

#include <cmath>

namespace trainscope::predict {

namespace {

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

using MeanAt = MeanPower (*)(const GpuPower&, std::span<const TimedLoad>, double, double);

SteadyPower settled(const GpuPower& gpu, std::span<const TimedLoad> loads,
    const Surroundings& surroundings, MeanAt meanAt) {
    const double lowest = lowestClock(gpu);
    const double locked = lockedClock(gpu, surroundings.clockHz);
    const double limitW = surroundings.limitW.value_or(gpu.limitW);
    SteadyPower out;
    out.celsius = surroundings.airC;
    constexpr int kMostRounds = 60;
    constexpr double kSteadyC = 1e-7;
    for (int round = 0; round < kMostRounds; ++round) {
        const double celsius = out.celsius;
        const auto busyAt = [&](double clock) { return meanAt(gpu, loads, clock, celsius).busyW; };
        const auto hotAt = [&](double clock) {
            const double chip = std::min(celsius, gpu.slowdownC);
            return surroundings.airC
                + gpu.thermal.resistance * meanAt(gpu, loads, clock, chip).watts;
        };
        const double capped = highestClock(lowest, locked, limitW, busyAt);
        out.clock = highestClock(lowest, capped, gpu.slowdownC, hotAt);
        out.limit = out.clock < capped ? ClockLimit::Temperature
            : capped < locked          ? ClockLimit::Power
            : locked < 1.0             ? ClockLimit::Locked
                                       : ClockLimit::None;
        const MeanPower mean = meanAt(gpu, loads, out.clock, celsius);
        out.watts = mean.watts;
        out.busyW = mean.busyW;
        out.celsius = surroundings.airC + gpu.thermal.resistance * mean.watts;
        if (std::abs(out.celsius - celsius) < kSteadyC)
            break;
    }
    out.clockHz = out.clock * gpu.boostHz;
    return out;
}

// Between readings of one kind of GPU in different machines: idle of eight H100 112 to 121 W.
constexpr double kMeasuredWatts = 0.05;
constexpr double kMeasuredResistance = 0.1;

} // namespace

std::vector<TimedLoad> loadsOf(const GpuPower& gpu, const ActivityTimes& times) {
    std::vector<TimedLoad> loads;
    for (const Activity activity : kAllActivities) {
        const ActivityTime& time = times[activity];
        if (time.seconds > 0.0)
            loads.push_back({time.seconds, gpu.activeW[activity] * time.intensity,
                gpu.clockBound[activity], activity == Activity::Waiting && !time.isBrief});
    }
    return loads;
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
    SteadyPower out = settled(gpu, loads, surroundings, meanPower);
    const double full = summed<double>(loads, &TimedLoad::seconds);
    if (full > 0.0)
        out.slowdown = meanPower(gpu, loads, out.clock, out.celsius).seconds / full;
    return out;
}

SteadyPower playedPower(
    const GpuPower& gpu, std::span<const TimedLoad> loads, const Surroundings& surroundings) {
    SteadyPower out = settled(gpu, loads, surroundings, meanPowerPlayed);
    double played = 0.0;
    double full = 0.0;
    for (const TimedLoad& load : loads) {
        played += load.seconds;
        full += load.seconds * rateAt(load.clockBound, out.clock);
    }
    out.slowdown = full > 0.0 ? played / full : 1.0;
    return out;
}

Relimited relimited(
    const GpuPower& gpu, const ActivityTimes& usualTimes, const Surroundings& surroundings) {
    Relimited out;
    out.usual = playedPower(gpu, loadsOf(gpu, usualTimes), {{}, {}, surroundings.airC});
    ActivityTimes full = usualTimes;
    for (const Activity activity : kAllActivities)
        full[activity].seconds *= rateAt(gpu.clockBound[activity], out.usual.clock);
    out.now = steadyPower(gpu, loadsOf(gpu, full), surroundings);
    double before = 0.0;
    double after = 0.0;
    for (const Activity activity : kAllActivities) {
        const double bound = gpu.clockBound[activity];
        out.factors[activity] = rateAt(bound, out.usual.clock) / rateAt(bound, out.now.clock);
        before += usualTimes[activity].seconds;
        after += usualTimes[activity].seconds * out.factors[activity];
    }
    out.factor = before > 0.0 ? after / before : 1.0;
    return out;
}

double lockedClock(const GpuPower& gpu, std::optional<double> clockHz) {
    return std::clamp(clockHz.value_or(gpu.boostHz) / gpu.boostHz, lowestClock(gpu), 1.0);
}

double clockLeftByHeat(const GpuPower& gpu, double celsius) {
    constexpr double kPerDegree = 0.06;
    constexpr double kLeastLeft = 0.5;
    return std::clamp(1.0 - kPerDegree * (celsius - gpu.slowdownC), kLeastLeft, 1.0);
}

double clockOfPlayed(
    const GpuPower& gpu, std::span<const TimedLoad> loads, double limitW, double celsius) {
    return highestClock(lowestClock(gpu), 1.0, limitW,
        [&](double clock) { return meanPowerPlayed(gpu, loads, clock, celsius).busyW; });
}

NodeAir PowerBasis::airOf(std::size_t gpus) const {
    return air.value_or(usualAir(gpus, gpu.limitW));
}

PowerBasis powerBasisOf(const catalogue::GpuModel& model) {
    PowerBasis basis{gpuPowerOf(model)};
    const auto isMeasured = [&model](const char* key) {
        const auto& measured = model.power.measured;
        return std::find(measured.begin(), measured.end(), key) != measured.end();
    };
    if (isMeasured("idle_w"))
        basis.spread.idle = kMeasuredWatts;
    if (isMeasured("gemm_w"))
        basis.spread.product = 2.0 * kMeasuredWatts;
    if (isMeasured("resistance_k_per_w"))
        basis.spread.resistance = kMeasuredResistance;
    return basis;
}

} // namespace trainscope::predict
