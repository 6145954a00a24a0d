#pragma once
// Many lines that nobody tells apart: their median and the range in which nine of ten lie.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace trainscope::analysis {

inline constexpr std::size_t kMostLines = 12; // more are drawn as a band

// At one moment; NaN without values.
struct BandPoint {
    double low = std::numeric_limits<double>::quiet_NaN(); // 5 %
    double middle = low; // 50 %
    double high = low; // 95 %
};

// The values rise, and there is one at least; quantiles lie between neighbouring ones.
template <typename Value>
Value quantileOf(const std::vector<Value>& rising, double share) {
    const double place = share * static_cast<double>(rising.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, rising.size() - 1);
    return std::lerp(
        rising[below], rising[above], static_cast<Value>(place - static_cast<double>(below)));
}

// The value of each line, NaN where it has none.
inline BandPoint bandAt(std::vector<double> values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty())
        return {};
    std::ranges::sort(values);
    return {quantileOf(values, 0.05), quantileOf(values, 0.5), quantileOf(values, 0.95)};
}

// Lines that lie outside of a band by more than half of its height in at least a third of the
// moments at which they have values; at most a handful, those that are farthest out first.
std::vector<std::size_t> outliersOf(const std::vector<std::span<const float>>& lines,
    std::span<const float> low, std::span<const float> high);

} // namespace trainscope::analysis
