#include "importers/trace/WorkIslands.h"

#include "core/analysis/traces/EarlyWork.h"

#include <algorithm>
#include <iterator>

namespace trainscope::importers {

void WorkIslands::add(TimeNs start, DurationNs duration) {
    constexpr std::int64_t kFarthest = 4'000'000'000'000'000'000;
    if (start.ns < -kFarthest || start.ns > kFarthest || duration.ns < 0
        || duration.ns > kFarthest / 4)
        return;
    const std::int64_t begin = start.ns;
    const std::int64_t end = begin + duration.ns;
    // Most kernels come behind the one before.
    if (m_last == nullptr || !reaches(*m_last, begin)) {
        const auto next = m_islands.upper_bound(begin);
        m_last = next != m_islands.begin() && reaches(*std::prev(next), begin)
            ? &*std::prev(next)
            : &*m_islands.try_emplace(begin, Island{end, 0, 0}).first;
    }
    m_last->second.take({end, 1, duration.ns});
    while (m_islands.size() > kMost)
        growTogether();
}

void WorkIslands::growTogether() {
    m_gap *= 2;
    for (auto at = m_islands.begin(); at != m_islands.end();) {
        const auto next = std::next(at);
        if (next == m_islands.end() || next->first > at->second.end + m_gap) {
            at = next;
            continue;
        }
        at->second.take(next->second);
        m_islands.erase(next);
    }
    m_last = nullptr;
}

std::string WorkIslands::earlyText(const std::vector<TimeRange>& iterations) const {
    const auto limit = analysis::earlyLimitOf(iterations);
    if (!limit)
        return {};
    std::int64_t kernels = 0;
    std::int64_t ns = 0;
    std::int64_t end = 0;
    for (const auto& [begin, island] : m_islands) {
        if (island.end >= limit->before.ns)
            continue;
        end = kernels == 0 ? island.end : std::max(end, island.end);
        kernels += island.kernels;
        ns += island.ns;
    }
    if (kernels == 0)
        return {};
    return analysis::earlyWorkText({kernels, 0, {ns}, {}, limit->first - TimeNs{end}});
}

} // namespace trainscope::importers
