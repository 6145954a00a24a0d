#pragma once
// Finding spans by their names, through the names that each page of a track's tree keeps.

#include "core/store/Values.h"
#include "core/store/database/Database.h"

#include <vector>

namespace trainscope::store {

// Ids of the names of spans, ascending.
using NameList = std::vector<std::int64_t>;

// Numbers of the chunks of a track that hold any of the names, ascending. A track of one chunk
// keeps no names above it and is listed whatever it holds.
Result<std::vector<std::int64_t>> chunksHolding(
    Database& database, TrackId track, const NameList& names);

// See Store::forEachSpanNamed, forEachFound.
Status visitSpansNamed(Database& database, TrackId track, NameId name, const SpanVisitor& visit);
Status visitFoundSpans(
    Database& database, RunId run, const SpanWish& wanted, const FoundVisitor& visit);

} // namespace trainscope::store
