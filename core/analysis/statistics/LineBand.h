#pragma once
// Many lines that nobody tells apart: their median and the range in which nine of ten lie.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace trainscope::analysis {

inline constexpr std::size_t kMostLines = 12; // more are drawn as a band

// At one moment; NaN without values.
struct BandPoint {
    double low = std::numeric_limits<double>::quiet_NaN(); // 5 %
    double middle = low; // 50 %
    double high = low; // 95 %
};

// The value of each line, NaN where it has none; quantiles lie between neighbouring values.
inline BandPoint bandAt(std::vector<double> values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    if (values.empty())
        return {};
    std::ranges::sort(values);
    const auto at = [&values](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const auto above = std::min(below + 1, values.size() - 1);
        return std::lerp(values[below], values[above], place - static_cast<double>(below));
    };
    return {at(0.05), at(0.5), at(0.95)};
}

} // namespace trainscope::analysis
