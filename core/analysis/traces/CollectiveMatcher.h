#pragma once
// Puts the parts of collectives together that arrive in order of their start on one clock. A part
// belongs to a collective of its communicator, kind and size that still lacks its rank: where the
// trace numbers them, the one of its number; else one that it overlaps (no part of a synchronising
// collective ends before the last has started) and that ends when it ends. Messages whose ends are
// known go in order. Memory is that of the collectives that are not complete. One thread.

#include "core/analysis/traces/Calls.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

namespace trainscope::analysis {

struct CollectivePart {
    int rank = 0;
    TimeNs start;
    TimeNs end;
    std::int64_t clockError = 0; // ns, of both times
    double bytes = -1.0; // negative: not known
};

struct MatchedParts {
    std::uint32_t spec = 0; // of the first part
    std::vector<CollectivePart> parts; // in order of arrival
    bool isComplete = false; // every rank that could take part does
};

class CollectiveMatcher {
public:
    using Take = std::function<void(const MatchedParts&)>;

    // `expected`: how many of the recorded ranks can be parts of a collective of that spec.
    // Collectives of one part are handed over too.
    CollectiveMatcher(std::function<int(const CallSpec&)> expected, Take take)
        : m_expected(std::move(expected))
        , m_take(std::move(take)) { }

    void add(std::uint32_t index, const CallSpec& spec, std::int64_t sequence,
        const CollectivePart& part);
    // What is incomplete, in no particular order.
    void finish();

private:
    struct Open {
        MatchedParts matched;
        std::int64_t sequence = -1;
        int expected = 0;
        TimeNs firstEnd;
        TimeNs lastEnd;
        std::int64_t clockError = 0;
        bool isSynchronising = false;
    };
    using Queue = std::deque<Open>;

    static bool holds(const Open& open, int rank);
    static bool fits(
        const Open& open, const CallSpec& spec, std::int64_t sequence, const CollectivePart& part);
    static bool isOver(const Open& open, TimeNs now);
    static std::int64_t distance(const Open& open, const CollectivePart& part);
    void closeOver(Queue& queue, TimeNs now);
    void close(Open& open);

    std::function<int(const CallSpec&)> m_expected;
    Take m_take;
    std::unordered_map<std::uint32_t, Queue> m_open; // by signature
};

} // namespace trainscope::analysis
