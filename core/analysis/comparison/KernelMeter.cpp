#include "core/analysis/comparison/KernelMeter.h"

#include <algorithm>

namespace trainscope::analysis {

KernelMeter::KernelMeter(const std::vector<TimeRange>& windows)
    : m_ranges(windows) {
    for (const TimeRange& window : windows)
        m_windows.add(window);
}

Status KernelMeter::work(const DeviceWork& work) {
    if (work.kernel == nullptr)
        return {};
    auto& entry = m_entries[work.kernel];
    Sum& sum = entry.sum; // by name: a lambda takes no structured binding in every compiler
    if (entry.name.empty()) {
        entry.name = work.kernel->name;
        sum.category = work.kernel->category;
    }
    const TimeRange range{work.span.start, work.span.start + work.span.duration};
    if (m_ranges.empty()) {
        sum.seconds += range.length().seconds();
        sum.count += 1.0;
        return {};
    }
    m_windows.forEachTouched(range, [&](std::size_t i) {
        const TimeRange& window = m_ranges[i];
        const TimeRange part{std::max(range.begin, window.begin), std::min(range.end, window.end)};
        sum.seconds += part.length().seconds();
        sum.count += range.begin >= window.begin ? 1.0 : 0.0;
    });
    return {};
}

std::map<std::string, KernelMeter::Sum> KernelMeter::sums() const {
    std::map<std::string, Sum> sums;
    for (const auto& [kernel, entry] : m_entries) {
        Sum& sum = sums[entry.name];
        sum.category = entry.sum.category;
        sum.seconds += entry.sum.seconds;
        sum.count += entry.sum.count;
    }
    return sums;
}

} // namespace trainscope::analysis
