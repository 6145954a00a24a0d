#pragma once
// Spans that a search finds: some of them in their order, or all, one after the other.

#include "core/store/Values.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace trainscope::store {

class Store;

// Spans that a search wants: those of one name, else those whose name contains the text
// (case-insensitive).
struct SpanWish {
    std::string text;
    NameId name;
};
// Some spans of one track, in order of start. False ends the search.
using FoundVisitor = std::function<bool(TrackId track, std::span<const Span> spans)>;

// The wanted spans of a run that start in the window, the first `limit` by time, then by track.
Result<std::vector<FoundSpan>> findSpans(
    const Store& store, RunId run, const SpanWish& wanted, TimeRange window, std::size_t limit);
// All wanted spans of a run, track by track, with start, duration, name, kind and depth. Memory
// does not grow with their number.
Status forEachFound(
    const Store& store, RunId run, const SpanWish& wanted, const FoundVisitor& visit);

} // namespace trainscope::store
