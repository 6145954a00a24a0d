#include "importers/trace/KernelDoubts.h"

#include "core/analysis/traces/EarlyWork.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <algorithm>
#include <limits>
#include <numeric>
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

// Writers have the kernels of a stream in order, but streams between each other: they are dealt out
// to their streams, and only those out of order sorted.
KernelDoubts::Kernels KernelDoubts::inOrder() const {
    std::vector<std::size_t> places(1, 0); // the first kernel of each stream
    for (const Kernel& kernel : m_kernels) {
        if (kernel.stream + 2 > places.size())
            places.resize(kernel.stream + 2, 0);
        ++places[kernel.stream + 1];
    }
    std::partial_sum(places.begin(), places.end(), places.begin());
    Kernels kernels(m_kernels.size());
    std::vector<std::size_t> next(places);
    for (const Kernel& kernel : m_kernels)
        kernels[next[kernel.stream]++] = kernel;
    const auto isBefore = [](const Kernel& a, const Kernel& b) {
        return std::pair(a.range.begin.ns, -a.range.end.ns)
            < std::pair(b.range.begin.ns, -b.range.end.ns);
    };
    for (std::size_t stream = 0; stream + 1 < places.size(); ++stream) {
        const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(places[stream]);
        const auto end = kernels.begin() + static_cast<std::ptrdiff_t>(places[stream + 1]);
        if (!std::is_sorted(begin, end, isBefore))
            std::sort(begin, end, isBefore);
    }
    return kernels;
}

std::vector<std::string> KernelDoubts::texts(std::vector<TimeRange> iterations) const {
    const Kernels kernels = inOrder();
    std::vector<std::string> all;
    std::string early = earlyText(kernels, iterations);
    for (std::string text :
        {overrunText(kernels), emptyText(kernels, std::move(iterations)), std::move(early)}) {
        if (!text.empty())
            all.push_back(std::move(text));
    }
    return all;
}

std::string KernelDoubts::overrunText(const Kernels& kernels) {
    analysis::OverrunScan scan;
    for (const Kernel& kernel : kernels)
        scan.add(kernel);
    const auto found = scan.found();
    if (!found)
        return {};
    const bool isOne = found->behind == 1;
    return "the kernel time of " + text::seconds(found->writtenS)
        + " is doubtful: " + text::counted(found->behind, "kernel") + " of a stream "
        + (isOne ? "begins" : "begin") + " and " + (isOne ? "ends" : "end")
        + " inside one before; where each ends when the next begins, it is "
        + text::seconds(found->clippedS);
}

std::string KernelDoubts::earlyText(
    const Kernels& kernels, const std::vector<TimeRange>& iterations) {
    const auto limit = analysis::earlyLimitOf(iterations);
    analysis::EarlyWork early;
    TimeNs end{std::numeric_limits<std::int64_t>::min()};
    for (const Kernel& kernel : kernels) {
        if (!limit || kernel.range.end >= limit->before)
            continue;
        ++early.kernels;
        early.time = early.time + kernel.range.length();
        end = std::max(end, kernel.range.end);
    }
    early.gap = early.kernels == 0 ? DurationNs{} : limit->first - end;
    return early.kernels == 0 ? std::string() : analysis::earlyWorkText(early);
}

std::string KernelDoubts::emptyText(const Kernels& kernels, std::vector<TimeRange> iterations) {
    std::sort(iterations.begin(), iterations.end(),
        [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    analysis::EmptyStepScan scan(std::move(iterations));
    for (const Kernel& kernel : kernels)
        scan.add(kernel.range.begin);
    const auto areEmpty = scan.found();
    const auto empty = std::count(areEmpty.begin(), areEmpty.end(), true);
    if (empty == 0)
        return {};
    return std::to_string(empty) + " of " + text::counted(std::ssize(areEmpty), "iteration") + " "
        + (empty == 1 ? "starts" : "start")
        + " no kernel: either the trace lost them, or the marks are not of iterations";
}

} // namespace trainscope::importers
