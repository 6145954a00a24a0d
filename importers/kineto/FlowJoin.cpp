#include "importers/kineto/FlowJoin.h"

namespace trainscope::importers::kineto {

namespace {

constexpr std::size_t kMaxWaiting = 100'000;

std::uint64_t keyOf(std::uint64_t place, TimeNs time) {
    return place * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(time.ns);
}

} // namespace

bool FlowJoin::wait(std::uint64_t place, std::size_t track, const Span& span) {
    if (m_waiting.size() >= kMaxWaiting)
        return false;
    m_waiting.emplace(keyOf(place, span.start), Waiting{track, span});
    return true;
}

std::vector<FlowJoin::Waiting> FlowJoin::take(std::uint64_t place, TimeNs time, std::int64_t id) {
    std::vector<Waiting> taken;
    const auto [begin, end] = m_waiting.equal_range(keyOf(place, time));
    for (auto it = begin; it != end; ++it) {
        taken.push_back(it->second);
        taken.back().span.correlation = id;
    }
    m_waiting.erase(begin, end);
    return taken;
}

std::vector<FlowJoin::Waiting> FlowJoin::takeRest() {
    std::vector<Waiting> rest;
    rest.reserve(m_waiting.size());
    for (const auto& [key, waiting] : m_waiting)
        rest.push_back(waiting);
    m_waiting.clear();
    return rest;
}

} // namespace trainscope::importers::kineto
