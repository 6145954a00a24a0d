#pragma once
// Neighbouring spans of one depth that are narrower than a width become groups; wider ones stay
// single. The same rule makes the pages of a track's tree and the answer to a query.

#include "core/model/Span.h"
#include "core/store/Store.h"

#include <cstdint>
#include <vector>

namespace trainscope::store {

struct GroupRecord {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t busy = 0; // ns; spans of one depth do not overlap
    std::int64_t longest = 0; // ns, of the span that gives name and kind
    NameId name;
    std::int64_t count = 1;
    SpanKind kind = SpanKind::Other;
    std::uint16_t depth = 0;

    bool operator==(const GroupRecord&) const = default;
};

GroupRecord groupOf(const Span& span);
SpanGroup viewOf(const GroupRecord& record);

// True when [begin, end) touches [from, to); what has no duration touches where it begins.
constexpr bool touches(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
    return begin < to && (end > from || (begin == end && begin >= from));
}

// to - from where from <= to, whatever lies between them.
constexpr std::uint64_t distance(std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

class GroupMerger {
public:
    // Appends to `out`, which outlives the merger. A width of 0 or less merges nothing.
    GroupMerger(std::int64_t width, std::vector<GroupRecord>& out);

    // In order of begin; what stands in `out` then is in that order too.
    void add(const GroupRecord& record);

private:
    std::uint64_t m_width;
    std::vector<GroupRecord>& m_out;
    std::vector<std::size_t> m_open; // by depth: 1 + the place of a group that may grow, 0: none
};

} // namespace trainscope::store
