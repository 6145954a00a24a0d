#include "core/analysis/energy/PowerEstimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainscope::analysis {

namespace {

constexpr double kWidest = 0.5; // of the mean power's energy, to either side

} // namespace

PowerEstimate PowerEstimate::of(const ClassTimes& times, std::span<const PowerReading> readings,
    std::span<const SensorResponse> responses, const SensorFacts& facts) {
    PowerEstimate result;
    result.m_highestW = facts.highestW;
    for (const SensorResponse& response : responses) {
        PowerFit fit = PowerFit::of(times, readings, response, facts);
        if (!fit.isUsable())
            continue;
        if (result.m_fits.empty())
            result.m_response = response;
        result.m_fits.push_back(std::move(fit));
    }
    return result;
}

// The intervals of all responses together.
std::optional<EstimatedEnergy> PowerEstimate::around(
    double joules, double uncertainty, std::span<const double> seconds) const {
    if (!isUsable())
        return std::nullopt;
    const double base = m_fits.front().joules(seconds);
    EstimatedEnergy result{joules, joules, joules};
    for (const PowerFit& fit : m_fits) {
        const double moved = joules + fit.joules(seconds) - base;
        const double half = std::hypot(fit.uncertainty(seconds), uncertainty);
        result.low = std::min(result.low, moved - half);
        result.high = std::max(result.high, moved + half);
    }
    const double length = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    const double widest = kWidest * m_fits.front().meanW() * length;
    if (std::max(joules - result.low, result.high - joules) > widest)
        return std::nullopt;
    result.joules = std::clamp(result.joules, 0.0, m_highestW * length);
    result.low = std::clamp(result.low, 0.0, result.joules);
    result.high = std::clamp(result.high, result.joules, m_highestW * length);
    return result;
}

std::optional<EstimatedEnergy> PowerEstimate::of(
    std::span<const double> seconds, double beginNs, double endNs) const {
    if (!isUsable())
        return std::nullopt;
    const PowerFit& fit = m_fits.front();
    const double rest = fit.restUntil(endNs) - fit.restUntil(beginNs);
    return around(fit.joules(seconds) + rest,
        fit.restUncertainty(std::max(0.0, endNs - beginNs), m_response.windowNs), seconds);
}

std::vector<std::optional<EstimatedEnergy>> PowerEstimate::byClass(
    std::span<const double> seconds, double joules) const {
    std::vector<std::optional<EstimatedEnergy>> result(seconds.size());
    if (!isUsable())
        return result;
    const PowerFit& fit = m_fits.front();
    const double left = joules - fit.joules(seconds);
    const std::vector<double> spread = fit.spread(seconds);
    double whole = 0.0;
    for (std::size_t k = 0; k < seconds.size(); ++k)
        whole += seconds[k] * spread[k];
    std::vector<double> one(seconds.size(), 0.0);
    for (std::size_t k = 0; k < seconds.size(); ++k) {
        one[k] = seconds[k];
        const double share = whole > 0.0 ? seconds[k] * spread[k] / whole : 0.0;
        result[k] = around(fit.joules(one) + share * left, 0.0, one);
        one[k] = 0.0;
    }
    return result;
}

} // namespace trainscope::analysis
