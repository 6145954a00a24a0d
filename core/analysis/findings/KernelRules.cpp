#include "core/analysis/findings/KernelRules.h"

#include <algorithm>
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

} // namespace trainscope::analysis
