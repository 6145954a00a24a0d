#include "core/analysis/energy/PowerEstimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainscope::analysis {

namespace {

constexpr double kWidest = 0.5; // share of the mean power's energy, to either side

} // namespace

PowerEstimate PowerEstimate::of(const ClassTimes& times, std::span<const PowerReading> readings,
    std::span<const SensorResponse> responses, const SensorFacts& facts, const PowerPrior* prior) {
    PowerEstimate result;
    result.m_highestW = facts.highestW;
    for (const SensorResponse& response : responses) {
        PowerFit fit = PowerFit::of(times, readings, response, facts, prior);
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

std::vector<std::optional<EstimatedEnergy>> PowerEstimate::split(
    std::span<const std::vector<double>> parts, double joules) const {
    std::vector<std::optional<EstimatedEnergy>> result(parts.size());
    if (!isUsable() || parts.empty())
        return result;
    const PowerFit& fit = m_fits.front();
    std::vector<double> all(parts.front().size(), 0.0);
    for (const std::vector<double>& part : parts) {
        for (std::size_t k = 0; k < all.size(); ++k)
            all[k] += part[k];
    }
    const double left = joules - fit.joules(all);
    const std::vector<double> spread = fit.spread(all);
    const auto weight = [&spread](const std::vector<double>& seconds) {
        return std::inner_product(seconds.begin(), seconds.end(), spread.begin(), 0.0);
    };
    const double whole = weight(all);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const double share = whole > 0.0 ? weight(parts[i]) / whole : 0.0;
        // The share of the remainder is a guess, so it counts whole as uncertainty.
        result[i] = around(fit.joules(parts[i]) + share * left, std::abs(share * left), parts[i]);
    }
    return result;
}

} // namespace trainscope::analysis
