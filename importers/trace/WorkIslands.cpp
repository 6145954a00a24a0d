#include "importers/trace/WorkIslands.h"

#include "core/analysis/findings/Plausibility.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <algorithm>
#include <cmath>
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
    if (iterations.empty())
        return {};
    std::vector<std::int64_t> lengths;
    TimeNs first = iterations.front().begin;
    for (const TimeRange& one : iterations) {
        lengths.push_back(one.length().ns);
        first = std::min(first, one.begin);
    }
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    if (*middle <= 0)
        return {};
    const double gap = analysis::kLongBefore * static_cast<double>(*middle);
    std::int64_t kernels = 0;
    std::int64_t ns = 0;
    std::int64_t end = 0;
    for (const auto& [begin, island] : m_islands) {
        if (static_cast<double>(first.ns - island.end) <= gap)
            continue;
        end = kernels == 0 ? island.end : std::max(end, island.end);
        kernels += island.kernels;
        ns += island.ns;
    }
    if (kernels == 0)
        return {};
    constexpr double kNs = 1e-9;
    return text::counted(kernels, "kernel", "kernels") + " of "
        + text::seconds(static_cast<double>(ns) * kNs) + (kernels == 1 ? " ends " : " end ")
        + text::seconds(static_cast<double>(first.ns - end) * kNs)
        + " before the first iteration, and " + (kernels == 1 ? "counts" : "count")
        + " in no share of iterations";
}

} // namespace trainscope::importers
