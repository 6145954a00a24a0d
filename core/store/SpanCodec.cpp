#include "core/store/SpanCodec.h"

#include "core/store/IntColumn.h"

#include <array>

namespace trainscope::store {
namespace {

// Deeply overlapping tracks have many open spans; beyond this the chunk is not believed.
constexpr std::uint64_t kMaxSpans = std::uint64_t{1} << 20U;

void encodeList(const std::vector<Span>& spans, Bytes& out) {
    std::vector<std::int64_t> column;
    for (std::size_t at = 0; at < spans.size(); at += kMaxColumn) {
        const auto part = std::span(spans).subspan(at, std::min(kMaxColumn, spans.size() - at));
        column.resize(part.size());
        const auto encode = [&](auto&& field) {
            for (std::size_t i = 0; i < part.size(); ++i)
                column[i] = field(part[i]);
            encodeInts(column, out);
        };
        encode([](const Span& span) { return span.start.ns; });
        encode([](const Span& span) { return span.duration.ns; });
        encode([](const Span& span) { return span.name.value; });
        encode([](const Span& span) { return static_cast<std::int64_t>(span.kind); });
        encode([](const Span& span) { return span.correlation; });
        encode([](const Span& span) { return span.detail.value; });
        encode([](const Span& span) { return std::int64_t{span.depth}; });
    }
}

SpanKind kindFrom(std::int64_t value) {
    return value >= 0 && value <= static_cast<std::int64_t>(SpanKind::Other)
        ? static_cast<SpanKind>(value)
        : SpanKind::Other;
}

bool decodePart(ByteReader& in, std::span<Span> spans) {
    std::array<std::vector<std::int64_t>, 7> columns;
    for (auto& column : columns) {
        column.resize(spans.size());
        if (!decodeInts(in, column))
            return false;
    }
    for (std::size_t i = 0; i < spans.size(); ++i) {
        spans[i] = {{columns[0][i]}, {columns[1][i]}, {columns[2][i]}, kindFrom(columns[3][i]),
            columns[4][i], {columns[5][i]}, static_cast<std::uint16_t>(columns[6][i])};
    }
    return true;
}

bool decodeList(ByteReader& in, std::uint64_t count, std::vector<Span>& spans) {
    spans.clear();
    while (spans.size() < count) {
        const std::size_t at = spans.size();
        spans.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, at + kMaxColumn)));
        if (!decodePart(in, std::span(spans).subspan(at)))
            return false;
    }
    return true;
}

} // namespace

void encodeSpans(const SpanChunk& chunk, Bytes& out) {
    ByteWriter writer(out);
    writer.varint(chunk.open.size());
    writer.varint(chunk.own.size());
    encodeList(chunk.open, out);
    encodeList(chunk.own, out);
}

bool decodeSpans(ByteView bytes, SpanChunk& chunk) {
    ByteReader in(bytes);
    const std::uint64_t open = in.varint();
    const std::uint64_t own = in.varint();
    if (!in.ok() || open > kMaxSpans || own > kMaxColumn)
        return false;
    return decodeList(in, open, chunk.open) && decodeList(in, own, chunk.own) && in.left() == 0;
}

} // namespace trainscope::store
