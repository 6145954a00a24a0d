#pragma once
// The level of detail of a track: a tree of pages above its chunks. A page of level 1 stands for
// kFanOut chunks, one of level n + 1 for kFanOut pages of level n, up to a single page; a track of
// one chunk has none. Each page holds what lies beneath it in at most kPageRecords nodes, of a
// width of its own, the smallest that is enough, so that dense and sparse parts of a track cost the
// same to look at. In front stand the spans that began before the page and are still open at its
// begin. A node never reaches over the begin of a page.
//
// Beside it a page keeps the names that occur beneath it and which of its children have them.
//
// Format of the nodes: varint number of open ones, varint number of own ones, then for each of the
// two (if not empty), in parts of at most kMaxColumn, columns (IntColumn.h) of begin, length, busy,
// longest, name, count, kind, depth. Format of the names: varint number, columns of ids (ascending)
// and of masks (bit i: the i-th child).

#include "core/store/Values.h"
#include "core/store/codec/Bytes.h"

namespace trainscope::store {

inline constexpr std::size_t kFanOut = 4;
inline constexpr std::size_t kPageRecords = 4096;

// A node as it is stored.
struct LodRecord {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t busy = 0; // ns; spans of one depth do not overlap
    std::int64_t longest = 0; // ns, of the span that gives name and kind
    NameId name;
    std::int64_t count = 1;
    SpanKind kind = SpanKind::Other;
    std::uint16_t depth = 0;

    bool operator==(const LodRecord&) const = default;
};

LodRecord recordOf(const Span& span);
LodNode nodeOf(const LodRecord& record);

// True when [begin, end) touches [from, to); what has no duration touches where it begins.
constexpr bool touches(std::int64_t begin, std::int64_t end, std::int64_t from, std::int64_t to) {
    return begin < to && (end > from || (begin == end && begin >= from));
}

// Neighbouring spans of one depth that are narrower than a width become one node; wider ones stay
// single. The same rule makes the pages and the answer to a query.
class LodMerger {
public:
    // Appends to `out`, which outlives the merger. A width of 0 or less merges nothing.
    LodMerger(std::int64_t width, std::vector<LodRecord>& out);

    // Records come in order of begin, and `out` is in that order too.
    void add(const LodRecord& record);

private:
    std::uint64_t m_width;
    std::vector<LodRecord>& m_out;
    std::vector<std::size_t> m_open; // by depth: 1 + the place of a node that may grow, 0: none
};

struct LodPage {
    std::int64_t width = 0; // ns; narrower neighbours are merged
    std::vector<LodRecord> open;
    std::vector<LodRecord> own;
};

struct NameMask {
    std::int64_t name = 0;
    std::uint32_t children = 0;

    bool operator==(const NameMask&) const = default;
};

// The page above `entries`, which are in order of begin.
LodPage makePage(std::vector<LodRecord> open, std::span<const LodRecord> entries);

void encodePage(const LodPage& page, Bytes& out); // all but the width
bool decodePage(ByteView bytes, LodPage& page);

void encodeNames(std::span<const NameMask> names, Bytes& out);
bool decodeNames(ByteView bytes, std::vector<NameMask>& names);

} // namespace trainscope::store
