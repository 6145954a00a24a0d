#include "core/analysis/traces/EarlyWork.h"

#include "core/text/Names.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

std::optional<EarlyLimit> earlyLimitOf(const std::vector<TimeRange>& iterations) {
    if (iterations.empty())
        return std::nullopt;
    std::vector<std::int64_t> lengths;
    TimeNs begin = iterations.front().begin;
    for (const TimeRange& iteration : iterations) {
        lengths.push_back(iteration.length().ns);
        begin = std::min(begin, iteration.begin);
    }
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    if (*middle <= 0)
        return std::nullopt;
    constexpr double longest = 9e18; // ns, which can be counted
    const double gap = std::min(kLongBefore * static_cast<double>(*middle), longest);
    return EarlyLimit{begin, {clampedSum(begin.ns, -std::llround(gap))}};
}

std::string earlyWorkText(const EarlyWork& early) {
    std::vector<std::string> work;
    if (early.kernels > 0)
        work.push_back(text::counted(early.kernels, "kernel"));
    if (early.copies > 0)
        work.push_back(text::counted(early.copies, "copy", "copies"));
    const bool isOne = early.kernels + early.copies == 1;
    return fmt::format("{} of {} {} {} before the first iteration and {} in no share",
        text::joined(work), text::seconds(early.time.seconds()), isOne ? "ends" : "end",
        text::seconds(early.gap.seconds()), isOne ? "counts" : "count");
}

} // namespace trainscope::analysis
