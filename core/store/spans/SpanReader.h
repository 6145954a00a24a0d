#pragma once
// Reading the spans of a track.

#include "core/store/Store.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/database/Database.h"

#include <functional>
#include <vector>

namespace trainscope::store {

// The spans that touch the window, in order of start, in blocks; false stops.
using SpanBlockVisitor = std::function<bool(std::span<const Span>)>;
Status visitSpans(Database& database, TrackId track, TimeRange window,
    const SpanBlockVisitor& visit, SpanFields fields = SpanFields::All);

// See Store::spanGroups, spanAt, correlated.
Result<std::vector<SpanGroup>> querySpanGroups(
    Database& database, TrackId track, TimeRange window, DurationNs minWidth);
Result<std::optional<Span>> querySpanAt(Database& database, TrackId track, TimeNs t, int depth);
Result<std::vector<Store::FoundSpan>> queryCorrelated(
    Database& database, RunId run, int rank, std::int64_t correlation);

} // namespace trainscope::store
