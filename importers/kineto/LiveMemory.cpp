#include "importers/kineto/LiveMemory.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace trainscope::importers::kineto {

namespace {

using analysis::LiveAllocations;
using analysis::MemoryUse;

std::vector<LiveAllocations> bySize(
    const std::unordered_map<std::int64_t, std::int64_t>& live, std::int64_t before) {
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& [address, bytes] : live)
        ++counts[bytes];
    std::vector<LiveAllocations> all;
    for (const auto& [size, count] : counts)
        all.push_back({MemoryUse::Unknown, size, count, {}});
    if (before > 0)
        all.push_back({MemoryUse::Unknown, before, 1, {"allocated before the recording"}});
    std::stable_sort(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes() > b.bytes(); });
    if (all.size() > analysis::AllocatorRecord::kMostLive)
        all.resize(analysis::AllocatorRecord::kMostLive);
    return all;
}

} // namespace

void LiveMemory::add(const Event& event) {
    if (m_events.size() < kMost)
        m_events.push_back(event);
}

std::optional<analysis::MemoryPeak> LiveMemory::peak() {
    if (m_events.empty())
        return std::nullopt;
    std::stable_sort(m_events.begin(), m_events.end(),
        [](const Event& a, const Event& b) { return a.time < b.time; });
    const auto highest = std::max_element(m_events.begin(), m_events.end(),
        [](const Event& a, const Event& b) { return a.allocated < b.allocated; });
    std::unordered_map<std::int64_t, std::int64_t> live; // bytes by address
    std::int64_t sum = 0;
    for (auto event = m_events.begin(); event <= highest; ++event) {
        if (event->bytes > 0) {
            std::int64_t& bytes = live[event->address];
            sum += event->bytes - bytes;
            bytes = event->bytes;
        } else if (const auto found = live.find(event->address); found != live.end()) {
            sum -= found->second;
            live.erase(found);
        }
    }
    analysis::MemoryPeak peak;
    peak.time = highest->time;
    peak.allocated = highest->allocated;
    peak.reserved = highest->reserved;
    peak.count = static_cast<std::int64_t>(live.size());
    peak.byUse = {{MemoryUse::Unknown, peak.allocated}};
    peak.largest = bySize(live, std::max<std::int64_t>(0, peak.allocated - sum));
    return peak;
}

} // namespace trainscope::importers::kineto
