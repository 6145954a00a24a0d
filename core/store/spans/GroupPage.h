#pragma once
// The tree above the chunks of a track. A page of level 1 stands for kFanOut chunks, one of level
// n + 1 for kFanOut pages of level n, up to a single page; a track of one chunk has none. Each page
// holds what lies beneath it in at most kPageGroups groups, of a width of its own, the smallest
// that is enough, so that dense and sparse parts of a track cost the same to look at. In front
// stand the spans that began before the page and are still open at its begin. A group never reaches
// over the begin of a page.
//
// Beside it a page keeps the names that occur beneath it and which of its children have them.
//
// Format of the groups: varint number of open ones, varint number of own ones, then for each of the
// two (if not empty), in parts of at most kMaxColumn, columns (IntColumn.h) of begin, length, busy,
// longest, name, count, kind, depth. Format of the names: varint number, columns of ids (ascending)
// and of masks (bit i: the i-th child).

#include "core/store/codec/Bytes.h"
#include "core/store/spans/GroupMerger.h"

#include <span>
#include <vector>

namespace trainscope::store {

inline constexpr std::size_t kFanOut = 4;
inline constexpr std::size_t kPageGroups = 4096;

struct GroupPage {
    std::int64_t width = 0; // ns; narrower neighbours are merged
    std::vector<GroupRecord> open;
    std::vector<GroupRecord> own;
};

struct NameMask {
    std::int64_t name = 0;
    std::uint32_t children = 0;

    bool operator==(const NameMask&) const = default;
};

// The page above `entries`, which are in order of begin.
GroupPage makePage(std::vector<GroupRecord> open, std::span<const GroupRecord> entries);

void encodeGroups(const GroupPage& page, Bytes& out); // all but the width
bool decodeGroups(ByteView bytes, GroupPage& page);

void encodeNames(std::span<const NameMask> names, Bytes& out);
bool decodeNames(ByteView bytes, std::vector<NameMask>& names);

} // namespace trainscope::store
