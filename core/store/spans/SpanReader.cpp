#include "core/store/spans/SpanReader.h"

#include "core/store/samples/SampleData.h"
#include "core/store/spans/SpanStream.h"

#include <algorithm>

namespace trainscope::store {

Status visitSpans(Database& database, TrackId track, TimeRange window,
    const SpanBlockVisitor& visit, SpanFields fields) {
    SpanStream stream(database, track, window, fields);
    while (true) {
        const auto spans = stream.next();
        if (!spans.hasValue())
            return spans.error();
        if (spans.value().empty() || !visit(spans.value()))
            return {};
    }
}

Result<std::optional<Span>> querySpanAt(Database& database, TrackId track, TimeNs t, int depth) {
    std::optional<Span> found;
    const TimeRange instant{t, {t.ns + 1}};
    Status status = visitSpans(database, track, instant, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (span.depth == depth)
                found = span;
        }
        return true;
    });
    if (!status.hasValue())
        return status.error();
    return found;
}

Result<std::vector<Store::FoundSpan>> queryCorrelated(
    Database& database, RunId run, int rank, std::int64_t correlation) {
    std::vector<Store::FoundSpan> found;
    if (correlation == 0)
        return found;
    SpanChunk chunk;
    Status status = database.forEach(
        "SELECT track.id, span_chunk.data FROM track JOIN span_chunk ON span_chunk.track=track.id"
        " WHERE track.run=? AND track.rank=? AND correlation_min<=? AND correlation_max>=?",
        [&](const Row& row) -> Status {
            if (!decodeSpans(row.blob(1), chunk, SpanFields::Correlation))
                return damagedChunk(database, "a chunk of spans");
            const bool isHere = std::any_of(chunk.own.begin(), chunk.own.end(),
                [correlation](const Span& span) { return span.correlation == correlation; });
            if (!isHere)
                return {};
            if (!decodeSpans(row.blob(1), chunk))
                return damagedChunk(database, "a chunk of spans");
            for (const Span& span : chunk.own) {
                if (span.correlation == correlation)
                    found.push_back({{row.integer(0)}, span});
            }
            return {};
        },
        run.value, rank, correlation, correlation);
    if (!status.hasValue())
        return status.error();
    std::stable_sort(found.begin(), found.end(),
        [](const auto& a, const auto& b) { return a.span.start < b.span.start; });
    return found;
}

} // namespace trainscope::store
