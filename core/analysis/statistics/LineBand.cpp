#include "core/analysis/statistics/LineBand.h"

#include <utility>

namespace trainscope::analysis {

std::vector<std::size_t> outliersOf(const std::vector<std::span<const float>>& lines,
    std::span<const float> low, std::span<const float> high) {
    constexpr float kClear = 0.5F; // heights of the band
    constexpr std::size_t kGoodPart = 3; // a third
    constexpr std::size_t kHandful = 5;
    std::vector<std::pair<double, std::size_t>> apart; // distance in all, negative, and the line
    for (std::size_t k = 0; k < lines.size(); ++k) {
        std::size_t present = 0;
        std::size_t outside = 0;
        double distance = 0.0;
        for (std::size_t i = 0; i < lines[k].size(); ++i) {
            const float value = lines[k][i];
            if (std::isnan(value))
                continue;
            ++present;
            const float beyond = std::max(low[i] - value, value - high[i]);
            if (beyond <= 0.0F || beyond <= kClear * (high[i] - low[i]))
                continue;
            ++outside;
            distance += static_cast<double>(beyond);
        }
        if (outside > 0 && outside * kGoodPart >= present)
            apart.emplace_back(-distance / static_cast<double>(present), k);
    }
    std::ranges::sort(apart);
    std::vector<std::size_t> outliers;
    for (std::size_t i = 0; i < std::min(apart.size(), kHandful); ++i)
        outliers.push_back(apart[i].second);
    return outliers;
}

} // namespace trainscope::analysis
