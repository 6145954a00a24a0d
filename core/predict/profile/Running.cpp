#include "core/predict/profile/Running.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace trainscope::predict {

namespace {

template <typename Of>
std::vector<double> running(const std::vector<double>& values, std::size_t window, const Of& of) {
    std::vector<double> results;
    results.reserve(values.size());
    for (std::size_t at = 0; at < values.size(); ++at) {
        const std::size_t begin = at > window / 2 ? at - window / 2 : 0;
        const std::size_t end = std::min(values.size(), at + window / 2 + 1);
        results.push_back(
            of(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(begin),
                values.begin() + static_cast<std::ptrdiff_t>(end))));
    }
    return results;
}

} // namespace

double medianOf(std::vector<double> values) {
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::vector<double> runningMedian(const std::vector<double>& values, std::size_t window) {
    return running(values, window, medianOf);
}

std::vector<double> runningMean(const std::vector<double>& values, std::size_t window) {
    return running(values, window, [](const std::vector<double>& part) {
        return std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size());
    });
}

} // namespace trainscope::predict
