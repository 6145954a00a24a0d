#include "importers/trace/KernelDoubts.h"

#include "core/analysis/findings/Plausibility.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainscope::importers {

namespace {

constexpr double kSecondsOfNs = 1e-9;

} // namespace

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
    std::vector<Kernel> kernels = m_kernels;
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

std::string KernelDoubts::overrunText(const std::vector<Kernel>& kernels) {
    std::int64_t behind = 0;
    double writtenNs = 0.0;
    double clippedNs = 0.0;
    const Kernel* open = nullptr; // of the stream, the one that ends last
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const Kernel& kernel = kernels[i];
        const bool isSame = open != nullptr && open->stream == kernel.stream;
        const bool isLonger = isSame && kernel.range.length() < open->range.length();
        behind += isLonger && kernel.range.end <= open->range.end ? 1 : 0;
        if (!isSame || kernel.range.end >= open->range.end)
            open = &kernel;
        const bool hasNext = i + 1 < kernels.size() && kernels[i + 1].stream == kernel.stream;
        const TimeNs end
            = hasNext ? std::min(kernel.range.end, kernels[i + 1].range.begin) : kernel.range.end;
        writtenNs += static_cast<double>(kernel.range.length().ns);
        clippedNs += static_cast<double>((end - kernel.range.begin).ns);
    }
    if (behind == 0 || writtenNs - clippedNs < analysis::kDoubtfulKernelTime * writtenNs)
        return {};
    return "the kernel time of " + text::seconds(writtenNs * kSecondsOfNs)
        + " is doubtful: " + text::counted(behind, "kernel") + " of a stream "
        + (behind == 1 ? "begins" : "begin") + " and " + (behind == 1 ? "ends" : "end")
        + " inside one before; where each ends when the next begins, it is "
        + text::seconds(clippedNs * kSecondsOfNs);
}

std::string KernelDoubts::emptyText(
    const std::vector<Kernel>& kernels, std::vector<TimeRange> iterations) {
    if (kernels.empty() || iterations.empty())
        return {};
    std::sort(iterations.begin(), iterations.end(),
        [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::vector<bool> hasKernel(iterations.size(), false);
    for (const Kernel& kernel : kernels) {
        const auto next = std::upper_bound(iterations.begin(), iterations.end(), kernel.range.begin,
            [](TimeNs at, const TimeRange& iteration) { return at < iteration.begin; });
        if (next != iterations.begin() && kernel.range.begin < std::prev(next)->end)
            hasKernel[static_cast<std::size_t>(std::prev(next) - iterations.begin())] = true;
    }
    const auto empty = std::count(hasKernel.begin(), hasKernel.end(), false);
    const auto count = std::ssize(iterations);
    const bool isMany
        = static_cast<double>(empty) >= analysis::kEmptySteps * static_cast<double>(count);
    if (empty == 0 || empty == count || !isMany)
        return {};
    return std::to_string(empty) + " of " + text::counted(count, "iteration") + " "
        + (empty == 1 ? "starts" : "start")
        + " no kernel: either the trace lost them, or the marks are not of iterations";
}

} // namespace trainscope::importers
