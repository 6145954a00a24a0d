#pragma once
// What the arguments of one event say: its labels, its track, its detail.

#include "importers/kineto/EventBatch.h"
#include "importers/kineto/EventKinds.h"
#include "importers/kineto/TraceEvent.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace trainscope::importers::kineto {

// Process and thread labels: numbers as written, but 7.0 is 7; "stream 7 " is "stream 7".
// `storage` is used where the text has to be unescaped.
std::string_view labelOf(const JsonToken& token, std::string& storage);

// `stream` and `device`: the arguments of those names, or nullptr.
TrackLabel trackLabelOf(const TraceEvent& event, const EventKind& kind, const JsonToken* stream,
    const JsonToken* device);

// The same for events with equal process and thread labels.
std::uint64_t placeOf(const TraceEvent& event);

std::string_view categoryOf(const TraceEvent& event);

// The arguments that are kept as detail, as a JSON object; nothing where there are none.
void appendDetail(const TraceEvent& event, SpanKind kind, std::string& out);

// Work that a launch and its correlation lead to, or that leads to it.
bool hasCorrelation(SpanKind kind);

} // namespace trainscope::importers::kineto
