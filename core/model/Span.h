#pragma once
// Spans and the tracks that hold them: kernels, copies, annotations, runtime calls.

#include "core/model/EnumNames.h"
#include "core/model/Id.h"
#include "core/model/Time.h"

namespace trainscope {

enum class SpanKind : std::uint8_t {
    Kernel,
    Copy, // memcpy
    Set, // memset
    Runtime, // CUDA/HIP API call
    CpuOp,
    Annotation, // user annotation on the host, ProfilerStep, NVTX
    GpuAnnotation, // its projection on the device; never counted as kernel time
    Python,
    Overhead,
    Sync,
    Other,
};
constexpr auto namesOf(SpanKind) {
    return enumNames("kernel", "copy", "set", "runtime", "cpu_op", "annotation", "gpu_annotation",
        "python", "overhead", "sync", "other");
}

struct Span {
    TimeNs start;
    DurationNs duration;
    NameId name;
    SpanKind kind = SpanKind::Other;
    std::int64_t correlation
        = 0; // joins a runtime call and what it launched, within one rank; 0: none
    NameId detail; // interned JSON object of the remaining arguments; invalid: none
    std::uint16_t depth = 0; // nesting on its track, computed by the store
};

enum class TrackKind : std::uint8_t {
    Stream, // kernels, copies and sets of one device stream
    StreamAnnotation, // GPU annotations of one stream
    Thread, // one host thread: operators, runtime calls, annotations
    Other,
};
constexpr auto namesOf(TrackKind) {
    return enumNames("stream", "stream_annotation", "thread", "other");
}

struct TrackDescription {
    TrackKind kind = TrackKind::Other;
    int rank = -1;
    int device = -1; // device index as the trace gives it
    std::string process; // pid as the trace gives it
    std::string thread; // tid or stream as the trace gives it
    std::string name; // "stream 7", "thread 1234 (python)"
};

struct Track {
    TrackId id;
    RunId run;
    SourceId source;
    TrackDescription description;
    TimeRange range; // first start to last end
    std::int64_t count = 0;
    int depth = 0; // levels of nesting, at least 1 when there are spans
};

} // namespace trainscope
