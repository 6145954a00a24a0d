#include "core/model/Span.h"

namespace trainscope {

std::string_view toString(SpanKind kind) {
    switch (kind) {
    case SpanKind::Kernel:
        return "kernel";
    case SpanKind::Copy:
        return "copy";
    case SpanKind::Set:
        return "set";
    case SpanKind::Runtime:
        return "runtime";
    case SpanKind::CpuOp:
        return "cpu_op";
    case SpanKind::Annotation:
        return "annotation";
    case SpanKind::GpuAnnotation:
        return "gpu_annotation";
    case SpanKind::Python:
        return "python";
    case SpanKind::Overhead:
        return "overhead";
    case SpanKind::Sync:
        return "sync";
    case SpanKind::Other:
        break;
    }
    return "other";
}

std::string_view toString(TrackKind kind) {
    switch (kind) {
    case TrackKind::Stream:
        return "stream";
    case TrackKind::StreamAnnotation:
        return "stream_annotation";
    case TrackKind::Thread:
        return "thread";
    case TrackKind::Other:
        break;
    }
    return "other";
}

} // namespace trainscope
