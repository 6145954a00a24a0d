#pragma once
// Finding spans by their names, through the names that each page of a track's tree keeps.

#include "core/store/Store.h"
#include "core/store/database/Database.h"

#include <string_view>
#include <vector>

namespace trainscope::store {

// Ids of the names of spans, ascending.
using NameList = std::vector<std::int64_t>;

// The names on any track that contain `text`, case-insensitive in ASCII.
Result<NameList> namesContaining(Database& database, std::string_view text);

// A page of the tree, or a chunk (level 0), by its number on its level.
struct TreeNode {
    std::int64_t level = 0;
    std::int64_t sequence = 0;
    std::int64_t begin = 0; // ns
};

// The node above everything of the track.
Result<TreeNode> topOf(Database& database, TrackId track);

// The children of a page that hold any of the names, in order.
Result<std::vector<TreeNode>> childrenWith(
    Database& database, TrackId track, const TreeNode& page, const NameList& names);

// See Store::forEachSpanNamed, findSpans.
Status visitSpansNamed(
    Database& database, TrackId track, NameId name, const Store::SpanVisitor& visit);
Result<std::vector<Store::FoundSpan>> queryFindSpans(
    Database& database, RunId run, std::string_view text, std::size_t limit);

} // namespace trainscope::store
