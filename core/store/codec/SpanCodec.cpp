#include "core/store/codec/SpanCodec.h"

#include "core/store/codec/IntColumn.h"

namespace trainscope::store {
namespace {

constexpr std::size_t kFields = 7;
// Deeply overlapping tracks have many open spans; beyond this the chunk is not believed.
constexpr std::uint64_t kMaxSpans = std::uint64_t{1} << 20U;

using Values = std::vector<std::int64_t>;

SpanKind kindFrom(std::int64_t value) {
    return value >= 0 && value <= static_cast<std::int64_t>(SpanKind::Other)
        ? static_cast<SpanKind>(value)
        : SpanKind::Other;
}

template <typename Get>
void gather(std::span<const Span> spans, Values& values, Get get) {
    for (std::size_t i = 0; i < spans.size(); ++i)
        values[i] = get(spans[i]);
}

template <typename Set>
void scatter(const Values& values, std::span<Span> spans, Set set) {
    for (std::size_t i = 0; i < spans.size(); ++i)
        set(spans[i], values[i]);
}

void gatherField(std::size_t field, std::span<const Span> spans, Values& values) {
    switch (field) {
    case 0:
        return gather(spans, values, [](const Span& span) { return span.start.ns; });
    case 1:
        return gather(spans, values, [](const Span& span) { return span.duration.ns; });
    case 2:
        return gather(spans, values, [](const Span& span) { return span.name.value; });
    case 3:
        return gather(
            spans, values, [](const Span& span) { return static_cast<std::int64_t>(span.kind); });
    case 4:
        return gather(spans, values, [](const Span& span) { return span.correlation; });
    case 5:
        return gather(spans, values, [](const Span& span) { return span.detail.value; });
    default:
        return gather(spans, values, [](const Span& span) { return std::int64_t{span.depth}; });
    }
}

void scatterField(std::size_t field, const Values& values, std::span<Span> spans) {
    switch (field) {
    case 0:
        return scatter(values, spans, [](Span& span, std::int64_t value) { span.start = {value}; });
    case 1:
        return scatter(values, spans, [](Span& span, std::int64_t value) {
            span.duration = boundedDuration(span.start, {value});
        });
    case 2:
        return scatter(values, spans, [](Span& span, std::int64_t value) { span.name = {value}; });
    case 3:
        return scatter(
            values, spans, [](Span& span, std::int64_t value) { span.kind = kindFrom(value); });
    case 4:
        return scatter(
            values, spans, [](Span& span, std::int64_t value) { span.correlation = value; });
    case 5:
        return scatter(
            values, spans, [](Span& span, std::int64_t value) { span.detail = {value}; });
    default:
        return scatter(values, spans,
            [](Span& span, std::int64_t value) { span.depth = static_cast<std::uint16_t>(value); });
    }
}

void encodeList(std::span<const Span> spans, Bytes& out, Squeeze squeeze) {
    Values values;
    Bytes column;
    for (std::size_t at = 0; at < spans.size(); at += kMaxColumn) {
        const auto part = spans.subspan(at, std::min(kMaxColumn, spans.size() - at));
        values.resize(part.size());
        for (std::size_t field = 0; field < kFields; ++field) {
            gatherField(field, part, values);
            column.clear();
            encodeInts(values, column, squeeze);
            ByteWriter(out).block(column);
        }
    }
}

bool decodePart(ByteReader& in, std::span<Span> spans, unsigned fields) {
    Values values(spans.size());
    for (std::size_t field = 0; field < kFields; ++field) {
        ByteReader column(in.block());
        if ((fields >> field & 1U) == 0)
            continue;
        if (!decodeInts(column, values) || column.left() > 0)
            return false;
        scatterField(field, values, spans);
    }
    return in.ok();
}

bool decodeList(ByteReader& in, std::uint64_t count, unsigned fields, std::vector<Span>& spans) {
    spans.clear();
    while (spans.size() < count) {
        const std::size_t at = spans.size();
        spans.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, at + kMaxColumn)));
        if (!decodePart(in, std::span(spans).subspan(at), fields))
            return false;
    }
    return true;
}

} // namespace

void encodeSpans(
    std::span<const Span> open, std::span<const Span> own, Bytes& out, Squeeze squeeze) {
    ByteWriter writer(out);
    writer.varint(open.size());
    writer.varint(own.size());
    encodeList(open, out, squeeze);
    encodeList(own, out, squeeze);
}

bool decodeSpans(ByteView bytes, SpanChunk& chunk, SpanFields fields) {
    ByteReader in(bytes);
    const std::uint64_t open = in.varint();
    const std::uint64_t own = in.varint();
    const auto wanted = static_cast<unsigned>(fields);
    if (!in.ok() || open > kMaxSpans || own > kMaxColumn)
        return false;
    return decodeList(in, open, wanted, chunk.open) && decodeList(in, own, wanted, chunk.own)
        && in.left() == 0;
}

} // namespace trainscope::store
