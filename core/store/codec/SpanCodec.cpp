#include "core/store/codec/SpanCodec.h"

namespace trainscope::store {
namespace {

constexpr std::size_t kFields = 7;
constexpr std::size_t kDurationField = 1;
// Deeply overlapping tracks have many open spans; beyond this the chunk is not believed.
constexpr std::uint64_t kMaxSpans = std::uint64_t{1} << 20U;

using Values = std::vector<std::int64_t>;

// Calls visit with what gives the field of a span; in the order of the columns.
template <typename Visit>
void visitField(std::size_t field, Visit&& visit) {
    switch (field) {
    case 0:
        return visit([](auto& span) -> auto& { return span.start.ns; });
    case kDurationField:
        return visit([](auto& span) -> auto& { return span.duration.ns; });
    case 2:
        return visit([](auto& span) -> auto& { return span.name.value; });
    case 3:
        return visit([](auto& span) -> auto& { return span.kind; });
    case 4:
        return visit([](auto& span) -> auto& { return span.correlation; });
    case 5:
        return visit([](auto& span) -> auto& { return span.detail.value; });
    default:
        return visit([](auto& span) -> auto& { return span.depth; });
    }
}

void encodeList(std::span<const Span> spans, Bytes& out, Squeeze squeeze) {
    Values values;
    Bytes column;
    encodeInParts(spans, [&](std::span<const Span> part) {
        values.resize(part.size());
        for (std::size_t field = 0; field < kFields; ++field) {
            visitField(field, [&](auto at) {
                for (std::size_t i = 0; i < part.size(); ++i)
                    values[i] = static_cast<std::int64_t>(at(part[i]));
            });
            column.clear();
            encodeInts(values, column, squeeze);
            ByteWriter(out).block(column);
        }
    });
}

void setField(std::size_t field, const Values& values, std::span<Span> spans) {
    visitField(field, [&](auto at) {
        using Value = std::remove_reference_t<decltype(at(spans[0]))>;
        for (std::size_t i = 0; i < spans.size(); ++i) {
            if constexpr (std::is_same_v<Value, SpanKind>)
                at(spans[i]) = storedSpanKind(values[i]);
            else
                at(spans[i]) = static_cast<Value>(values[i]);
        }
    });
    if (field != kDurationField)
        return;
    for (Span& span : spans)
        span.duration = boundedDuration(span.start, span.duration);
}

bool decodePart(ByteReader& in, std::span<Span> spans, unsigned fields) {
    Values values(spans.size());
    for (std::size_t field = 0; field < kFields; ++field) {
        ByteReader column(in.block());
        if ((fields >> field & 1U) == 0)
            continue;
        if (!decodeInts(column, values) || column.left() > 0)
            return false;
        setField(field, values, spans);
    }
    return in.ok();
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
    const auto decode = [&](std::span<Span> part) { return decodePart(in, part, wanted); };
    return decodeInParts(open, chunk.open, decode) && decodeInParts(own, chunk.own, decode)
        && in.left() == 0;
}

} // namespace trainscope::store
