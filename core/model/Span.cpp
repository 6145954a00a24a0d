#include "core/model/Span.h"

#include "core/model/EnumNames.h"

namespace trainscope {

namespace {

constexpr auto kSpanKinds = enumNames<SpanKind>({{SpanKind::Kernel, "kernel"},
    {SpanKind::Copy, "copy"}, {SpanKind::Set, "set"}, {SpanKind::Runtime, "runtime"},
    {SpanKind::CpuOp, "cpu_op"}, {SpanKind::Annotation, "annotation"},
    {SpanKind::GpuAnnotation, "gpu_annotation"}, {SpanKind::Python, "python"},
    {SpanKind::Overhead, "overhead"}, {SpanKind::Sync, "sync"}, {SpanKind::Other, "other"}});
constexpr auto kTrackKinds = enumNames<TrackKind>(
    {{TrackKind::Stream, "stream"}, {TrackKind::StreamAnnotation, "stream_annotation"},
        {TrackKind::Thread, "thread"}, {TrackKind::Other, "other"}});

} // namespace

std::string_view toString(SpanKind kind) {
    return kSpanKinds.nameOf(kind);
}

std::string_view toString(TrackKind kind) {
    return kTrackKinds.nameOf(kind);
}

TrackKind trackKindFrom(std::string_view text) {
    return kTrackKinds.find(text).value_or(TrackKind::Other);
}

} // namespace trainscope
