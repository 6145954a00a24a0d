#pragma once
// The categories ("cat") of Kineto events, old and new spelling, and where their spans belong.

#include "core/model/Span.h"

#include <string_view>

namespace trainscope::importers::kineto {

enum class Placement {
    DeviceStream, // args.device and args.stream, else pid and tid
    DeviceAnnotation, // pid is the device, tid the stream
    DeviceOther, // work of a device that is neither: synchronisation, firmware
    Host, // a thread by pid and tid
    Elsewhere, // pid and tid are only labels
};

struct EventKind {
    SpanKind kind = SpanKind::Other;
    Placement placement = Placement::Elsewhere;
};

// By category in any case; what is not known is a span of its own on a track by pid and tid.
EventKind eventKindOf(std::string_view category);

// Which arguments of a span are kept as its detail; values that differ from event to event are not,
// nor what the span and its track say already.
bool isDetailArgument(SpanKind kind, std::string_view key);

} // namespace trainscope::importers::kineto
