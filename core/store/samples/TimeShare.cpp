#include "core/store/samples/TimeShare.h"

#include "core/store/codec/TimeCodec.h"

#include <xxhash.h>

#include <algorithm>
#include <array>

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

// Among the columns of that length the ones that begin nearest are tried.
const TimeShare::Leader* TimeShare::leaderFor(const std::vector<std::int64_t>& times) const {
    std::array<const Leader*, kMostTried> nearest{};
    const auto distance = [&times](const Leader* leader) {
        const auto a = static_cast<std::uint64_t>(leader->times->front());
        const auto b = static_cast<std::uint64_t>(times.front());
        return a > b ? a - b : b - a;
    };
    for (const Leader& leader : m_leaders) {
        if (leader.times->size() != times.size())
            continue;
        const Leader* candidate = &leader;
        for (const Leader*& place : nearest) {
            if (place == nullptr || distance(candidate) < distance(place))
                std::swap(place, candidate);
            if (candidate == nullptr)
                break;
        }
    }
    for (const Leader* leader : nearest) {
        if (leader != nullptr && isWorthBeside(times, *leader->times))
            return leader;
    }
    return nullptr;
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
