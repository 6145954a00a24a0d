#pragma once
// The period of samples by the intervals between them. It is the median; but where two recorders
// write readings of one thing, a moment apart, or a recorder reads several times at once, half of
// the intervals and more are of those moments, and the others would be taken for holes. There the
// period is that of the groups: an interval that comes again and again is no hole.

#include <cstdint>
#include <optional>

namespace trainscope {

// An interval longer than so many periods is a hole.
inline constexpr double kGapPeriods = 10.0;

struct SamplingGroups {
    double within = 0.0; // median interval
    double between = 0.0; // the usual one of those that are longer than kGapPeriods times that
};

// Absent where readings do not come in groups. `quantile`: of the intervals, by a share of their
// count. At least three of ten intervals are long ones, and these are alike.
template <typename Quantile>
std::optional<SamplingGroups> samplingGroups(std::int64_t intervals, const Quantile& quantile) {
    constexpr std::int64_t kFewest = 8;
    constexpr double kShort = 0.7;
    constexpr double kLong = 0.75;
    constexpr double kMiddle = 0.85; // the middle of the longest three in ten
    constexpr double kLongest = 0.95;
    constexpr double kAlike = 2.0;
    if (intervals < kFewest)
        return std::nullopt;
    const auto median = static_cast<double>(quantile(0.5));
    if (median <= 0.0 || static_cast<double>(quantile(kShort)) <= kGapPeriods * median)
        return std::nullopt;
    const auto least = static_cast<double>(quantile(kLong));
    if (static_cast<double>(quantile(kLongest)) > kAlike * least)
        return std::nullopt;
    return SamplingGroups{median, static_cast<double>(quantile(kMiddle))};
}

} // namespace trainscope
