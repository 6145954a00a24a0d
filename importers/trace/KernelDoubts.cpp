#include "importers/trace/KernelDoubts.h"

#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainscope::importers {

void KernelDoubts::add(std::size_t stream, TimeNs start, DurationNs duration) {
    if (m_areTooMany || duration.ns < 0)
        return;
    if (m_kernels.size() == kMost) {
        m_areTooMany = true;
        m_kernels = {};
        return;
    }
    m_kernels.push_back({stream, {start, {clampedSum(start.ns, duration.ns)}}});
}

std::vector<std::string> KernelDoubts::texts(std::vector<TimeRange> iterations) const {
    Kernels kernels = m_kernels;
    using Kernel = analysis::StreamKernel;
    std::sort(kernels.begin(), kernels.end(), [](const Kernel& a, const Kernel& b) {
        return std::tuple(a.stream, a.range.begin.ns, -a.range.end.ns)
            < std::tuple(b.stream, b.range.begin.ns, -b.range.end.ns);
    });
    std::vector<std::string> all;
    for (std::string text : {overrunText(kernels), emptyText(kernels, std::move(iterations))}) {
        if (!text.empty())
            all.push_back(std::move(text));
    }
    return all;
}

std::string KernelDoubts::overrunText(const Kernels& kernels) {
    const auto found = analysis::kernelOverruns(kernels);
    if (!found)
        return {};
    const bool isOne = found->behind == 1;
    return "the kernel time of " + text::seconds(found->writtenS)
        + " is doubtful: " + text::counted(found->behind, "kernel") + " of a stream "
        + (isOne ? "begins" : "begin") + " and " + (isOne ? "ends" : "end")
        + " inside one before; where each ends when the next begins, it is "
        + text::seconds(found->clippedS);
}

std::string KernelDoubts::emptyText(const Kernels& kernels, std::vector<TimeRange> iterations) {
    std::sort(iterations.begin(), iterations.end(),
        [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    const auto areEmpty = analysis::emptySteps(kernels, iterations);
    const auto empty = std::count(areEmpty.begin(), areEmpty.end(), true);
    if (empty == 0)
        return {};
    return std::to_string(empty) + " of " + text::counted(std::ssize(iterations), "iteration") + " "
        + (empty == 1 ? "starts" : "start")
        + " no kernel: either the trace lost them, or the marks are not of iterations";
}

} // namespace trainscope::importers
