#pragma once
// Neighbouring spans of one depth that are narrower than a width become groups; wider ones stay
// single. The same rule makes the levels of a track's pyramid and the answer to a query.

#include "core/model/Span.h"
#include "core/store/Bytes.h"
#include "core/store/Store.h"

#include <cstdint>
#include <functional>
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
};

GroupRecord groupOf(const Span& span);
SpanGroup viewOf(const GroupRecord& record);

// True when [begin, end) touches [from, to); what has no duration touches where it begins.
constexpr bool touches(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
    return begin < to && (end > from || (begin == end && begin >= from));
}

class GroupMerger {
public:
    using Output = std::function<void(const GroupRecord&)>;
    GroupMerger(std::int64_t width, Output output);

    // In order of begin. Output comes in order of begin too.
    void add(const GroupRecord& record);
    void finish();

private:
    void emitBefore(std::int64_t begin);

    std::int64_t m_width;
    Output m_output;
    struct Open {
        GroupRecord record;
        bool valid = false;
        bool narrow = false; // may still take neighbours
    };
    std::vector<Open> m_open; // by depth
    std::vector<GroupRecord> m_closed; // heap by begin, waiting for what began earlier
};

// A page of groups, with the groups of earlier pages that reach into it in front.
struct GroupPage {
    std::vector<GroupRecord> open;
    std::vector<GroupRecord> own;
};
inline constexpr std::size_t kPageGroups = 1024;

void encodeGroups(const GroupPage& page, Bytes& out);
bool decodeGroups(ByteView bytes, GroupPage& page);

} // namespace trainscope::store
