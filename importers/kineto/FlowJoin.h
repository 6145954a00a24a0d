#pragma once
// Gives launches and device work without a correlation argument the id of the flow arrow that
// begins or ends at them (same pid, tid and time), as old and foreign writers have it. Bounded:
// what waits too long goes on without. A place is placeOf() an event.

#include "core/model/Span.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace trainscope::importers::kineto {

class FlowJoin {
public:
    struct Waiting {
        std::size_t track = 0;
        Span span;
    };

    // False when there is no more room.
    bool wait(std::uint64_t place, std::size_t track, const Span& span);
    [[nodiscard]] bool isWaiting() const { return !m_waiting.empty(); }
    // All spans that stand where the arrow does, with its id as their correlation.
    std::vector<Waiting> take(std::uint64_t place, TimeNs time, std::int64_t id);
    // The others, as they are.
    std::vector<Waiting> takeRest();

private:
    std::unordered_multimap<std::uint64_t, Waiting> m_waiting;
};

} // namespace trainscope::importers::kineto
