#include "core/analysis/telemetry/LaggedCovariance.h"
#include "core/analysis/traces/PowerEdges.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::analysis {

namespace {

constexpr double kLeastKnownShare = 0.6; // share of the pattern that must lie over known values
// Standard errors of a difference of two fits, and for the best of many.
constexpr double kCertainty = 5.0;

// Sums of the known values of a signal, to have those of any window at once.
class WindowSums {
public:
    // The sums are those of deviations from the mean of all known values.
    explicit WindowSums(std::span<const double> signal) {
        double sum = 0.0;
        double count = 0.0;
        for (const double value : signal) {
            sum += std::isnan(value) ? 0.0 : value;
            count += std::isnan(value) ? 0.0 : 1.0;
        }
        const double mean = count > 0.0 ? sum / count : 0.0;
        m_sums.push_back({});
        for (const double value : signal) {
            Sums next = m_sums.back();
            if (!std::isnan(value)) {
                next.count += 1.0;
                next.sum += value - mean;
                next.squares += (value - mean) * (value - mean);
            }
            m_sums.push_back(next);
        }
    }
    // Sum of squared deviations in [first, last), clipped.
    [[nodiscard]] double spread(std::ptrdiff_t first, std::ptrdiff_t last) const {
        const Sums& a = m_sums[clipped(first)];
        const Sums& b = m_sums[clipped(last)];
        const double count = b.count - a.count;
        const double sum = b.sum - a.sum;
        return count > 0.0 ? b.squares - a.squares - sum * sum / count : 0.0;
    }

    [[nodiscard]] double sum(std::ptrdiff_t first, std::ptrdiff_t last) const {
        return m_sums[clipped(last)].sum - m_sums[clipped(first)].sum;
    }

private:
    struct Sums {
        double count = 0.0;
        double sum = 0.0;
        double squares = 0.0;
    };
    [[nodiscard]] std::size_t clipped(std::ptrdiff_t index) const {
        return static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(index, 0, std::ssize(m_sums) - 1));
    }
    std::vector<Sums> m_sums;
};

// Correlation at every lag −signal … +signal; −1 where too little of the pattern lies over it.
std::vector<double> correlations(std::span<const double> pattern, std::span<const double> signal) {
    const std::size_t most = signal.size() + pattern.size();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> x(2 * most, nan);
    std::vector<double> y(2 * most, nan);
    // The pattern stands in the middle, so that the signal may begin before it.
    std::copy(pattern.begin(), pattern.end(), x.begin() + std::ssize(signal));
    std::copy(signal.begin(), signal.end(), y.begin() + std::ssize(signal));
    const auto covariance = laggedCovariance(x, y, most);
    const WindowSums ofSignal(signal);
    const WindowSums ofPattern(pattern);
    const double least = kLeastKnownShare * static_cast<double>(pattern.size());
    std::vector<double> result(covariance.values.size(), -1.0);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto lag = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(most);
        const std::ptrdiff_t end = lag + std::ssize(pattern);
        const std::ptrdiff_t rest = std::ssize(signal) - lag;
        const double spread = ofSignal.spread(lag, end) * ofPattern.spread(-lag, rest);
        if (covariance.pairs[i] < least || spread <= 0.0)
            continue;
        // The means of what lies over each other, not of the whole.
        const double products = covariance.values[i] * covariance.pairs[i]
            - ofSignal.sum(lag, end) * ofPattern.sum(-lag, rest) / covariance.pairs[i];
        result[i] = std::clamp(products / std::sqrt(spread), -1.0, 1.0);
    }
    return result;
}

} // namespace

PatternFit fitPattern(std::span<const double> pattern, std::span<const double> signal,
    double offset, double stepsPerValue) {
    PatternFit fit;
    fit.correlation = -1.0;
    if (pattern.empty() || signal.empty())
        return fit;
    const std::vector<double> values = correlations(pattern, signal);
    const double best = *std::ranges::max_element(values);
    if (best <= 0.0)
        return fit;
    // Correlation that noise alone may take off the best fit.
    const double slack = kCertainty * (1.0 - best * best)
        / std::sqrt(static_cast<double>(pattern.size()) / stepsPerValue);
    const double enough = best - std::max(slack, 1e-6);
    const auto middle = static_cast<double>(pattern.size() + signal.size());
    double nearest = std::numeric_limits<double>::infinity();
    int stretches = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < enough)
            continue;
        const std::size_t first = i;
        std::size_t peak = i;
        for (; i < values.size() && values[i] >= enough; ++i)
            peak = values[i] > values[peak] ? i : peak;
        ++stretches;
        const double lag = static_cast<double>(peak) - middle + peakShift(values, peak);
        if (std::abs(lag + offset) >= nearest)
            continue;
        nearest = std::abs(lag + offset);
        fit.lag = lag;
        fit.error = std::max(0.5, static_cast<double>(i - first) / 2.0);
        fit.correlation = values[peak];
    }
    fit.isAmbiguous = stretches > 1;
    return fit;
}

} // namespace trainscope::analysis
