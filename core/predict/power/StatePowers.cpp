#include "core/analysis/statistics/Means.h"
#include "core/model/Gather.h"
#include "core/predict/power/PowerModel.h"
#include "core/predict/power/RunPower.h"

namespace trainscope::predict {

namespace {

constexpr double kStillUtilization = 0.02;
constexpr double kWorkingUtilization = 0.5;
constexpr double kFullClock = 0.97; // share of the highest
constexpr double kGivenWay = 0.995; // share of the highest
constexpr double kParkedClock = 0.5;
constexpr std::size_t kFewestMoments = 8;
constexpr double kPlateau = 0.03; // half of its width
constexpr double kPlateauShare = 0.5; // least share of the moments on it in which clocks give way

std::optional<double> medianOfMany(std::vector<double> values) {
    if (values.size() < kFewestMoments)
        return std::nullopt;
    return analysis::medianOf(std::move(values));
}

bool isKnown(const PowerMoment& moment) {
    return std::isfinite(moment.watts) && std::isfinite(moment.utilization);
}

// Without a clock it is taken to be the highest.
double clockFraction(const PowerMoment& moment, double highestHz) {
    return highestHz > 0.0 && std::isfinite(moment.clockHz) && moment.clockHz > 0.0
        ? std::min(1.0, moment.clockHz / highestHz)
        : 1.0;
}

double temperatureOf(const PowerMoment& moment) {
    return std::isfinite(moment.celsius) ? moment.celsius : kReferenceC;
}

// Power of work that is bound by the clock, at another clock.
double boundShare(const GpuPower& gpu, double clock) {
    return rateAt(1.0, clock) * std::pow(gpu.voltage.at(clock), 2);
}

double quantileOf(std::vector<double> values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

class StateFit {
public:
    StateFit(const GpuPower& gpu, double highestHz)
        : m_gpu(gpu) {
        m_states.highestHz = highestHz;
    }

    void add(const PowerMoment& moment) {
        if (!isKnown(moment))
            return;
        const double clock = clockFraction(moment, m_states.highestHz);
        if (moment.utilization <= kStillUtilization) {
            if (clock >= kFullClock)
                m_idle.push_back(moment.watts);
            else if (clock < kParkedClock)
                m_parked.push_back(moment.watts);
        } else if (moment.utilization >= kWorkingUtilization)
            m_busy.push_back(moment);
    }

    StatePowers result() {
        m_states.idleW = medianOfMany(m_idle);
        m_states.parkedW = medianOfMany(m_parked);
        if (m_states.idleW)
            m_gpu.idleW = *m_states.idleW;
        if (m_states.parkedW)
            m_gpu.parkedW = *m_states.parkedW;
        m_gpu.parkedW = std::min(m_gpu.parkedW, m_gpu.idleW);
        std::vector<double> full;
        for (const PowerMoment& moment : m_busy) {
            const double clock = clockFraction(moment, m_states.highestHz);
            const double active = moment.watts - idlePower(m_gpu, clock, temperatureOf(moment));
            full.push_back(m_gpu.idleW + active / boundShare(m_gpu, clock));
        }
        m_states.busyW = medianOfMany(std::move(full));
        m_states.limitW = plateau();
        return m_states;
    }

    // After result().
    [[nodiscard]] std::optional<double> predicted(const PowerMoment& moment) const {
        const double clock = clockFraction(moment, m_states.highestHz);
        const double idle = idlePower(m_gpu, clock, temperatureOf(moment));
        if (moment.utilization <= kStillUtilization)
            return idle;
        if (moment.utilization < kWorkingUtilization || !m_states.busyW)
            return std::nullopt;
        return idle + (*m_states.busyW - m_gpu.idleW) * boundShare(m_gpu, clock);
    }

private:
    [[nodiscard]] std::optional<double> plateau() const {
        const std::vector<double> watts = vectorOf(m_busy, &PowerMoment::watts);
        if (watts.size() < kFewestMoments)
            return std::nullopt;
        const double top = quantileOf(watts, 0.95);
        std::size_t on = 0;
        std::size_t givenWay = 0;
        for (const PowerMoment& moment : m_busy) {
            if (std::abs(moment.watts - top) > kPlateau * top)
                continue;
            ++on;
            givenWay += clockFraction(moment, m_states.highestHz) < kGivenWay ? 1U : 0U;
        }
        const bool isPlateau = 2 * on >= watts.size()
            && static_cast<double>(givenWay) >= kPlateauShare * static_cast<double>(on);
        return isPlateau ? std::optional(top) : std::nullopt;
    }

    GpuPower m_gpu;
    StatePowers m_states;
    std::vector<double> m_idle;
    std::vector<double> m_parked;
    std::vector<PowerMoment> m_busy;
};

double highestClockOf(const std::vector<std::vector<PowerMoment>>& byGpu) {
    double highest = 0.0;
    for (const auto& moments : byGpu) {
        for (const PowerMoment& moment : moments)
            highest = std::isfinite(moment.clockHz) ? std::max(highest, moment.clockHz) : highest;
    }
    return highest;
}

std::size_t fittedOf(const std::vector<PowerMoment>& moments, double fitted) {
    return static_cast<std::size_t>(static_cast<double>(moments.size()) * fitted);
}

} // namespace

StatePowers statePowers(
    const GpuPower& gpu, const std::vector<std::vector<PowerMoment>>& byGpu, double fitted) {
    StateFit fit(gpu, highestClockOf(byGpu));
    for (const auto& moments : byGpu) {
        for (std::size_t i = 0; i < fittedOf(moments, fitted); ++i)
            fit.add(moments[i]);
    }
    StatePowers out = fit.result();
    ResidualSum sum;
    for (const auto& moments : byGpu) {
        for (std::size_t i = fittedOf(moments, fitted); i < moments.size(); ++i) {
            const auto predicted = isKnown(moments[i]) ? fit.predicted(moments[i]) : std::nullopt;
            if (predicted)
                sum.add(*predicted, moments[i].watts);
        }
    }
    if (out.idleW || out.busyW)
        out.residual = sum.residual();
    return out;
}

void ResidualSum::add(double predicted, double measured) {
    if (measured <= 0.0)
        return;
    m_sum.mean += std::abs(predicted - measured);
    m_sum.relative += std::abs(predicted / measured - 1.0);
    ++m_sum.moments;
}

std::optional<Residual> ResidualSum::residual() const {
    const auto count = static_cast<double>(m_sum.moments);
    return m_sum.moments == 0
        ? std::nullopt
        : std::optional(Residual{m_sum.mean / count, m_sum.relative / count, m_sum.moments});
}

} // namespace trainscope::predict
