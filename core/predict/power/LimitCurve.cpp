#include "core/predict/power/LimitCurve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trainscope::predict {

namespace {

constexpr double kLeastLoadW = 1.0; // beyond idle; less is no work
constexpr std::size_t kLeastRows = 4;

using Unknowns = std::array<double, 4>; // clockBound, slope, lowest voltage, burst
constexpr Unknowns kLowest{0.02, 0.05, 0.4, 0.0};
constexpr Unknowns kHighest{1.0, 1.2, 0.95, 1.0};

LimitCurve curveWith(LimitCurve curve, const Unknowns& unknowns) {
    curve.clockBound = unknowns[0];
    curve.voltage = {unknowns[1], unknowns[2]};
    curve.burst = unknowns[3];
    return curve;
}

GpuPower gpuOf(const LimitCurve& curve, double limitW) {
    GpuPower gpu;
    gpu.limitW = limitW;
    gpu.boostHz = 1.0;
    gpu.lowestHz = 0.05;
    gpu.parkedW = curve.idleW;
    gpu.idleW = curve.idleW;
    gpu.voltage = curve.voltage;
    gpu.leakage = 0.0; // part of the fitted powers
    gpu.thermal.resistance = 0.0;
    gpu.slowdownC = std::numeric_limits<double>::infinity();
    return gpu;
}

// Hooke and Jeeves, "Direct search solution of numerical and statistical problems", 1961.
template <typename Cost>
Unknowns patternSearch(Unknowns at, const Cost& cost) {
    constexpr double kFirstStep = 0.2; // of the range
    constexpr double kLastStep = 0.004;
    double best = cost(at);
    for (double step = kFirstStep; step > kLastStep;) {
        bool isBetter = false;
        for (std::size_t i = 0; i < at.size(); ++i) {
            for (const double sign : {1.0, -1.0}) {
                Unknowns tried = at;
                tried[i] = std::clamp(
                    at[i] + sign * step * (kHighest[i] - kLowest[i]), kLowest[i], kHighest[i]);
                const double now = cost(tried);
                if (now >= best)
                    continue;
                best = now;
                at = tried;
                isBetter = true;
                break;
            }
        }
        if (!isBetter)
            step /= 2.0;
    }
    return at;
}

} // namespace

LimitedPower underLimit(const LimitCurve& curve, double demandW, double limitW) {
    const double mean = demandW - curve.idleW;
    if (mean < kLeastLoadW)
        return {1.0, demandW};
    const double busy = mean + curve.burst * std::max(0.0, curve.highestW - demandW);
    const double share = mean / busy;
    const std::array loads{
        TimedLoad{share, busy, curve.clockBound}, TimedLoad{1.0 - share, 0.0, 0.0, true}};
    const SteadyPower steady = steadyPower(gpuOf(curve, limitW), loads, {});
    return {1.0 / steady.slowdown, steady.watts};
}

LimitErrors errorsOf(const LimitCurve& curve, std::span<const LimitedSpeed> rows) {
    LimitErrors out;
    for (const LimitedSpeed& row : rows) {
        const LimitedPower predicted = underLimit(curve, row.demandW, row.limitW);
        const double error = std::abs(predicted.speed / row.speed - 1.0);
        out.all += error;
        out.watts += std::abs(predicted.watts / row.watts - 1.0);
        ++out.rows;
        if (row.demandW <= row.limitW)
            continue;
        out.limited += error;
        ++out.limitedRows;
    }
    const auto count = static_cast<double>(std::max<std::size_t>(out.rows, 1));
    out.all /= count;
    out.watts /= count;
    out.limited /= static_cast<double>(std::max<std::size_t>(out.limitedRows, 1));
    return out;
}

LimitCurve fitLimitCurve(std::span<const LimitedSpeed> rows) {
    LimitCurve curve;
    curve.idleW = std::numeric_limits<double>::infinity();
    std::vector<LimitedSpeed> limited;
    for (const LimitedSpeed& row : rows) {
        curve.idleW = std::min({curve.idleW, row.watts, row.demandW});
        curve.highestW = std::max(curve.highestW, row.demandW);
        if (row.demandW > row.limitW)
            limited.push_back(row);
    }
    if (limited.size() < kLeastRows)
        return curve;
    const auto cost = [&](const Unknowns& unknowns) {
        return errorsOf(curveWith(curve, unknowns), limited).limited;
    };
    // From several beginnings: the error has more than one valley.
    Unknowns best{};
    double least = std::numeric_limits<double>::infinity();
    for (const double bound : {0.15, 0.5, 0.9}) {
        for (const double slope : {0.4, 0.8}) {
            for (const double burst : {0.1, 0.7}) {
                const Unknowns found = patternSearch({bound, slope, 0.78, burst}, cost);
                const double error = cost(found);
                if (error >= least)
                    continue;
                least = error;
                best = found;
            }
        }
    }
    return curveWith(curve, best);
}

} // namespace trainscope::predict
