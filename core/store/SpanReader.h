#pragma once
// Reading the spans of a track, and searching them.

#include "core/store/Database.h"
#include "core/store/SpanCodec.h"
#include "core/store/Store.h"

#include <functional>
#include <string_view>
#include <vector>

namespace trainscope::store {

// The spans that touch the window, in order of start, in blocks; false stops.
using SpanBlockVisitor = std::function<bool(std::span<const Span>)>;
Status visitSpans(
    Database& database, TrackId track, TimeRange window, const SpanBlockVisitor& visit);

// See Store::spanGroups, spanAt, findSpans, correlated.
Result<std::vector<SpanGroup>> querySpanGroups(
    Database& database, TrackId track, TimeRange window, DurationNs minWidth);
Result<std::optional<Span>> querySpanAt(Database& database, TrackId track, TimeNs t, int depth);
Result<std::vector<Store::FoundSpan>> queryFindSpans(
    Database& database, RunId run, std::string_view text, std::size_t limit);
Result<std::vector<Store::FoundSpan>> queryCorrelated(
    Database& database, RunId run, int rank, std::int64_t correlation);

} // namespace trainscope::store
