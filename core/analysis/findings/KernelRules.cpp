#include "core/analysis/findings/KernelRules.h"

#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace trainscope::analysis {

std::optional<KernelOverruns> kernelOverruns(const std::vector<StreamKernel>& kernels) {
    KernelOverruns found;
    DurationNs most;
    std::size_t open = 0; // of the stream, the one that ends last
    found.ends.reserve(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto& [stream, range] = kernels[i];
        found.ends.push_back(range.end);
        found.writtenS += range.length().seconds();
        if (i == 0 || kernels[i - 1].stream != stream) {
            open = i;
            continue;
        }
        found.ends[i - 1] = std::min(found.ends[i - 1], range.begin);
        const TimeRange& before = kernels[open].range;
        const bool isInside = range.end <= before.end && range.length() < before.length()
            && range.begin < before.end;
        found.behind += isInside ? 1 : 0;
        if (isInside && before.length() > most) {
            most = before.length();
            found.longest = open;
        }
        if (range.end >= before.end)
            open = i;
    }
    for (std::size_t i = 0; i < kernels.size(); ++i)
        found.clippedS += (found.ends[i] - kernels[i].range.begin).seconds();
    const bool isDoubtful = found.behind > 0
        && found.writtenS - found.clippedS >= kDoubtfulKernelTime * found.writtenS;
    return isDoubtful ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::size_t> stepAt(const std::vector<TimeRange>& steps, TimeNs time) {
    const auto behind = std::upper_bound(steps.begin(), steps.end(), time,
        [](TimeNs at, const TimeRange& step) { return at < step.begin; });
    if (behind == steps.begin() || time >= std::prev(behind)->end)
        return std::nullopt;
    return static_cast<std::size_t>(std::prev(behind) - steps.begin());
}

std::vector<bool> emptySteps(
    const std::vector<StreamKernel>& kernels, const std::vector<TimeRange>& steps) {
    std::vector<bool> areEmpty(steps.size(), true);
    for (const StreamKernel& kernel : kernels) {
        if (const auto step = stepAt(steps, kernel.range.begin))
            areEmpty[*step] = false;
    }
    const auto empty = std::count(areEmpty.begin(), areEmpty.end(), true);
    const auto all = std::ssize(steps);
    const bool isMany = static_cast<double>(empty) >= kEmptySteps * static_cast<double>(all);
    return empty == 0 || empty == all || !isMany ? std::vector<bool>() : areEmpty;
}

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

std::string earlyWorkText(std::int64_t kernels, double kernelS, double gapS) {
    return fmt::format("{} of {} {} {} before the first iteration and {} in no share",
        text::counted(kernels, "kernel"), text::seconds(kernelS), kernels == 1 ? "ends" : "end",
        text::seconds(gapS), kernels == 1 ? "counts" : "count");
}

} // namespace trainscope::analysis
