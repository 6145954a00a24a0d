#pragma once
// A chunk of spans in order of start. In front stand the spans that began in earlier chunks and are
// still open at the chunk's begin, so that a window needs no chunk before its first.
//
// Format: varint number of open spans, varint number of own spans, then for each of the two (if not
// empty) columns (IntColumn.h) of start, duration, name, kind, correlation, detail, depth.

#include "core/model/Span.h"
#include "core/store/Bytes.h"

#include <vector>

namespace trainscope::store {

inline constexpr std::size_t kChunkSpans = 4096;

struct SpanChunk {
    std::vector<Span> open;
    std::vector<Span> own;
};

void encodeSpans(const SpanChunk& chunk, Bytes& out);
bool decodeSpans(ByteView bytes, SpanChunk& chunk);

} // namespace trainscope::store
