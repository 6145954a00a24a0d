#include "core/predict/prediction/RunPowerFit.h"

#include "core/analysis/statistics/Means.h"
#include "core/predict/prediction/Outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace trainscope::predict {

namespace {

// Between GPUs and days of one machine.
constexpr double kRunWatts = 0.03;
constexpr double kRunInletC = 1.5;
constexpr double kRunRise = 0.15;
constexpr double kRunResistance = 0.06;
constexpr double kRunLeft = 0.05; // of the mean power of other jobs
constexpr double kSameLimit = 0.03; // of the catalogue's, which a plateau then is
constexpr double kLeastFactor = 0.25;
constexpr double kMostFactor = 4.0;
constexpr std::size_t kMostNamed = 3;

class ConstantMedian {
public:
    void add(const std::optional<double>& value) {
        if (value)
            m_values.push_back(*value);
    }
    [[nodiscard]] std::optional<double> value() const {
        return m_values.empty() ? std::nullopt : std::optional(analysis::medianOf(m_values));
    }

private:
    std::vector<double> m_values;
};

template <typename Part>
std::optional<double> medianOver(const std::vector<const MeasuredRun*>& runs, const Part& part) {
    ConstantMedian median;
    for (const MeasuredRun* run : runs)
        median.add(part(run->power));
    return median.value();
}

// As of one run.
RunPower mergedPower(const std::vector<const MeasuredRun*>& runs) {
    RunPower out;
    out.states.idleW = medianOver(runs, [](const RunPower& one) { return one.states.idleW; });
    out.states.parkedW = medianOver(runs, [](const RunPower& one) { return one.states.parkedW; });
    out.states.limitW = medianOver(runs, [](const RunPower& one) { return one.states.limitW; });
    const auto thermal = [&runs](double GpuThermal::*member) {
        return medianOver(runs, [member](const RunPower& one) {
            return one.thermal ? std::optional((*one.thermal).*member) : std::nullopt;
        });
    };
    const auto air = [&runs](double NodeAir::*member) {
        return medianOver(runs, [member](const RunPower& one) {
            return one.air ? std::optional((*one.air).*member) : std::nullopt;
        });
    };
    if (const auto resistance = thermal(&GpuThermal::resistance)) {
        out.thermal = GpuThermal{*resistance, *thermal(&GpuThermal::seconds)};
        out.air = NodeAir{*air(&NodeAir::inletC), *air(&NodeAir::risePerW)};
    }
    ActivityPowers activities;
    for (const Activity activity : kAllActivities)
        activities.watts[activity] = medianOver(runs, [activity](const RunPower& one) {
            return one.activities ? one.activities->watts[activity] : std::nullopt;
        });
    ConstantMedian clock;
    for (const MeasuredRun* run : runs) {
        if (run->power.activities)
            clock.add(run->power.activities->clock);
    }
    if (clock.value()) {
        activities.clock = *clock.value();
        out.activities = activities;
    }
    return out;
}

GpuPower withDemand(GpuPower gpu, double factor) {
    for (const Activity activity : kAllActivities)
        gpu.activeW[activity] *= factor;
    return gpu;
}

// The factor at which a value that grows with it is what was measured; bisection.
template <typename ValueAt>
std::optional<double> factorFor(double measured, const ValueAt& valueAt) {
    double low = kLeastFactor;
    double high = kMostFactor;
    if (valueAt(low) > measured || valueAt(high) < measured)
        return std::nullopt;
    constexpr int kHalvings = 24;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = std::sqrt(low * high);
        (valueAt(middle) > measured ? high : low) = middle;
    }
    return std::sqrt(low * high);
}

std::string namesOf(const std::vector<const MeasuredRun*>& runs) {
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostNamed, runs.size()); ++i)
        text += (i == 0 ? "" : ", ") + runs[i]->name;
    if (runs.size() > kMostNamed)
        text += fmt::format(" and {} more", runs.size() - kMostNamed);
    return text;
}

void takeSpreads(const RunPower& power, PowerSpread& spread) {
    if (power.states.idleW)
        spread.idle = kRunWatts;
    if (power.activities)
        spread.product = spread.memory = spread.communication = spread.waiting = 2.0 * kRunWatts;
    if (!power.thermal)
        return;
    spread.resistance = kRunResistance;
    spread.rise = kRunRise;
    spread.inletC = kRunInletC;
    spread.inletBiasC = 0.0;
}

} // namespace

std::optional<double> demandFactor(
    const MeasuredRun& run, const PowerBasis& basis, const Predictor& predictor) {
    if (!run.job || !run.meanW)
        return std::nullopt;
    const auto made = predictor.predict(run.job->job, {run.job->source, 0.0});
    if (!made.hasValue())
        return std::nullopt;
    const auto outlookAt = [&](double factor) {
        PowerBasis moved = basis;
        moved.gpu = withDemand(basis.gpu, factor);
        return outlookOf(run.job->job, made.value().step, moved);
    };
    const Outlook usual = outlookAt(1.0);
    // At the limit power no longer grows with the demand; the clock falls.
    if (usual.limit == ClockLimit::Power && *run.meanW >= (1.0 - kSameLimit) * usual.meanW)
        return run.busyHz
            ? factorFor(-*run.busyHz, [&](double factor) { return -outlookAt(factor).clockHz; })
            : std::nullopt;
    return factorFor(*run.meanW, [&](double factor) { return outlookAt(factor).meanW; });
}

std::optional<PowerBasis> fittedBasis(const catalogue::GpuModel& model,
    const std::vector<const MeasuredRun*>& runs, const Predictor& predictor) {
    PowerBasis basis = powerBasisOf(model);
    RunPower power = mergedPower(runs);
    const double limitW = basis.gpu.limitW;
    if (power.states.limitW && std::abs(*power.states.limitW / limitW - 1.0) < kSameLimit)
        power.states.limitW.reset();
    basis.gpu = calibrated(basis.gpu, power);
    basis.air = power.air;
    takeSpreads(power, basis.spread);
    ConstantMedian demand;
    if (!power.activities) {
        for (const MeasuredRun* run : runs)
            demand.add(demandFactor(*run, basis, predictor));
    }
    if (const auto factor = demand.value()) {
        basis.gpu = withDemand(basis.gpu, *factor);
        basis.demandFactor = *factor;
        basis.spread.product = 2.0 * kRunWatts;
        basis.spread.memory = basis.spread.communication = basis.spread.waiting = 0.2;
        basis.spread.watts = kRunLeft;
    }
    const bool isTold = power.states.idleW || power.states.parkedW || power.states.limitW
        || power.thermal || power.activities || demand.value();
    if (!isTold)
        return std::nullopt;
    basis.source = namesOf(runs);
    return basis;
}

} // namespace trainscope::predict
