#include "core/store/codec/TimeCodec.h"
#include "core/store/samples/ChunkRows.h"

#include <xxhash.h>

#include <algorithm>

namespace trainscope::store {

TimeShare::Decision TimeShare::decide(const TimeColumn& times) {
    const XXH128_hash_t hash = XXH3_128bits(times->data(), times->size() * sizeof(std::int64_t));
    const auto [found, added] = m_known.try_emplace({hash.low64, hash.high64}, m_places.size());
    Decision decision;
    decision.slot = found->second;
    decision.known = !added;
    if (!added)
        return decision;
    m_places.emplace_back();
    if (times->size() < kShortest)
        return decision;
    if (const Leader* leader = leaderFor(*times)) {
        decision.base = leader->times;
        decision.baseSlot = leader->slot;
    } else {
        lead(times, decision.slot);
    }
    return decision;
}

// The column of that length that begins nearest, where the differences to it are worth it.
const TimeShare::Leader* TimeShare::leaderFor(const std::vector<std::int64_t>& times) const {
    const Leader* nearest = nullptr;
    std::uint64_t least = 0;
    for (const Leader& leader : m_leaders) {
        const std::int64_t begin = leader.times->front();
        const std::uint64_t apart
            = distance(std::min(begin, times.front()), std::max(begin, times.front()));
        if (leader.times->size() == times.size() && (nearest == nullptr || apart < least)) {
            nearest = &leader;
            least = apart;
        }
    }
    return nearest != nullptr && isWorthBeside(times, *nearest->times) ? nearest : nullptr;
}

void TimeShare::lead(const TimeColumn& times, std::size_t slot) {
    m_leaders.push_back({times, slot});
    m_values += times->size();
    while (m_values > kMostValues || m_leaders.size() > kMostLeaders) {
        m_values -= m_leaders.front().times->size();
        m_leaders.pop_front();
    }
}

} // namespace trainscope::store
