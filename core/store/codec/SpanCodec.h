#pragma once
// A chunk of spans in order of start. In front stand the spans that began in earlier chunks and are
// still open at the chunk's begin, so that a window needs no chunk before its first.
//
// Format: varint number of open spans, varint number of own spans, then for each of the two (if not
// empty) the columns of start, duration, name, kind, correlation, detail, depth: each a varint
// length and that many bytes of IntColumn.h, so that readers skip what they do not need. Lists
// longer than kMaxColumn come in several such parts.

#include "core/model/Span.h"
#include "core/store/codec/Bytes.h"
#include "core/store/codec/IntColumn.h"

namespace trainscope::store {

inline constexpr std::size_t kChunkSpans = 4096;

struct SpanChunk {
    std::vector<Span> open;
    std::vector<Span> own;
};

// Fields that a reader wants; the others are left as in a fresh Span.
enum class SpanFields : unsigned {
    Name = 1U << 2U,
    Drawn = 0b1001111U, // start, duration, name, kind, depth
    Correlation = 1U << 4U,
    All = 0b1111111U,
};

void encodeSpans(std::span<const Span> open, std::span<const Span> own, Bytes& out,
    Squeeze squeeze = Squeeze::IfMuchSmaller);
bool decodeSpans(ByteView bytes, SpanChunk& chunk, SpanFields fields = SpanFields::All);

// The end of a span. A duration that would lead beyond the range of time is shortened on its way
// into the store and out of it, so that this never overflows.
constexpr std::int64_t endOf(const Span& span) {
    return span.start.ns + span.duration.ns;
}
// Other for numbers that are no kind.
constexpr SpanKind storedSpanKind(std::int64_t value) {
    return value >= 0 && value <= static_cast<std::int64_t>(SpanKind::Other)
        ? static_cast<SpanKind>(value)
        : SpanKind::Other;
}
constexpr DurationNs boundedDuration(TimeNs start, DurationNs duration) {
    const std::int64_t most = start.ns > 0 ? kAllTime.end.ns - start.ns : kAllTime.end.ns;
    return {std::clamp<std::int64_t>(duration.ns, 0, most)};
}

} // namespace trainscope::store
