#pragma once
// Meaning of one event: the categories ("cat") of Kineto events in their old and new spelling, the
// place of their spans, their labels, track and detail.

#include "importers/kineto/EventBatch.h"

namespace trainscope::importers::kineto {

enum class SpanPlace {
    DeviceStream, // args.device and args.stream, else pid and tid
    DeviceAnnotation, // pid is the device, tid the stream
    DeviceOther, // work of a device that is neither: synchronisation, firmware
    Host, // a thread by pid and tid
    Elsewhere, // pid and tid are only labels
};

struct EventKind {
    SpanKind kind = SpanKind::Other;
    SpanPlace place = SpanPlace::Elsewhere;
};

// By category in any case; what is not known is a span of its own on a track by pid and tid.
EventKind eventKindOf(std::string_view category);

// True for arguments of a span that are kept as its detail: not values that differ from event to
// event, nor those that the span and its track have already.
bool isDetailArgument(SpanKind kind, std::string_view key);

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
