#include "core/analysis/findings/KernelRules.h"

#include <algorithm>
#include <iterator>

namespace trainscope::analysis {

void OverrunScan::add(const StreamKernel& kernel) {
    const TimeRange& range = kernel.range;
    if (range.isEmpty()) // the name of a fused operator, which holds nothing and ends nothing
        return;
    m_written = m_written + range.length();
    const bool isFirst = !m_before || m_before->stream != kernel.stream;
    if (!isFirst) {
        const TimeNs end = m_before->range.end;
        m_clippedOff = m_clippedOff + (end - std::min(end, range.begin));
        const TimeRange& open = m_open.range;
        const bool isInside
            = range.end <= open.end && range.length() < open.length() && range.begin < open.end;
        m_found.behind += isInside ? 1 : 0;
        if (isInside && open.length() > m_found.longest.range.length())
            m_found.longest = m_open;
    }
    if (isFirst || range.end >= m_open.range.end)
        m_open = kernel;
    m_before = kernel;
}

void OverrunScan::add(const OverrunScan& later) {
    m_written = m_written + later.m_written;
    m_clippedOff = m_clippedOff + later.m_clippedOff;
    m_found.behind += later.m_found.behind;
    if (later.m_found.longest.range.length() > m_found.longest.range.length())
        m_found.longest = later.m_found.longest;
}

std::optional<KernelOverruns> OverrunScan::found() const {
    KernelOverruns found = m_found;
    found.writtenS = m_written.seconds();
    found.clippedS = (m_written - m_clippedOff).seconds();
    const bool isDoubtful
        = found.behind > 0 && m_clippedOff.seconds() >= kDoubtfulKernelTime * found.writtenS;
    return isDoubtful ? std::optional(found) : std::nullopt;
}

void EmptyStepScan::add(TimeNs begin) {
    const auto behind = std::ranges::upper_bound(m_steps, begin, {}, &TimeRange::begin);
    if (behind != m_steps.begin() && begin < std::prev(behind)->end)
        m_areEmpty[static_cast<std::size_t>(std::prev(behind) - m_steps.begin())] = false;
}

void EmptyStepScan::add(const EmptyStepScan& other) {
    for (std::size_t i = 0; i < m_areEmpty.size(); ++i)
        m_areEmpty[i] = m_areEmpty[i] && other.m_areEmpty[i];
}

std::vector<bool> EmptyStepScan::found() const {
    const auto empty = std::ranges::count(m_areEmpty, true);
    const auto all = std::ssize(m_areEmpty);
    const bool isMany = static_cast<double>(empty) >= kEmptySteps * static_cast<double>(all);
    return empty == 0 || empty == all || !isMany ? std::vector<bool>() : m_areEmpty;
}

} // namespace trainscope::analysis
