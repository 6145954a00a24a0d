#include "core/analysis/statistics/Means.h"

#include <boost/math/special_functions/beta.hpp>

namespace trainscope::analysis {

std::optional<double> meanOf(std::span<const double> values) {
    if (values.empty())
        return std::nullopt;
    CompensatedSum sum;
    for (const double value : values)
        sum.add(value);
    return sum.value() / static_cast<double>(values.size());
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

std::optional<double> populationStd(std::span<const double> values) {
    const auto mean = meanOf(values);
    if (!mean)
        return std::nullopt;
    CompensatedSum squares;
    for (const double value : values)
        squares.add((value - *mean) * (value - *mean));
    return std::sqrt(squares.value() / static_cast<double>(values.size()));
}

double studentT(double probability, double degrees) {
    // |t| is larger with the probability I_x(degrees / 2, 1 / 2), x = degrees / (degrees + t²).
    double remainder = 0.0; // 1 − x
    const double x = boost::math::ibeta_inv(degrees / 2.0, 0.5, 1.0 - probability, &remainder,
        boost::math::policies::policy<boost::math::policies::promote_double<false>>());
    return std::sqrt(degrees * remainder / x);
}

Imbalance imbalance(const std::map<int, std::vector<double>>& means) {
    std::vector<double> deviations;
    std::vector<double> nodeMeans;
    for (const auto& [node, gpuMeans] : means) {
        if (gpuMeans.empty())
            continue;
        deviations.push_back(*populationStd(gpuMeans));
        nodeMeans.push_back(*meanOf(gpuMeans));
    }
    return {meanOf(deviations), populationStd(nodeMeans)};
}

} // namespace trainscope::analysis
