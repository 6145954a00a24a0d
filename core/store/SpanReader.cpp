#include "core/store/SpanReader.h"

#include "core/store/GroupMerger.h"
#include "core/store/SampleReader.h"

#include <algorithm>

namespace trainscope::store {
namespace {

bool touches(const Span& span, TimeRange window) {
    return store::touches(
        span.start.ns, span.start.ns + span.duration.ns, window.begin.ns, window.end.ns);
}

// Number of the last chunk that begins before the window, else of the first.
Result<std::int64_t> startSequence(Database& database, TrackId track, TimeNs begin) {
    std::int64_t sequence = 0;
    Status status = database.forEach(
        "SELECT sequence FROM span_chunk WHERE track=? AND begin_ns<? ORDER BY begin_ns DESC, "
        "sequence DESC LIMIT 1",
        [&sequence](const Row& row) { sequence = row.integer(0); }, track.value, begin.ns);
    if (!status.hasValue())
        return status.error();
    return sequence;
}

Status visitGroups(
    Database& database, TrackId track, std::int64_t level, TimeRange window, GroupMerger& merger) {
    std::int64_t from = window.begin.ns;
    Status status = database.forEach(
        "SELECT begin_ns FROM group_page WHERE track=? AND level_ns=? AND begin_ns<? ORDER BY "
        "begin_ns DESC LIMIT 1",
        [&from](const Row& row) { from = row.integer(0); }, track.value, level, window.begin.ns);
    if (!status.hasValue())
        return status;
    GroupPage page;
    bool first = true;
    const auto add = [&](const std::vector<GroupRecord>& groups) {
        for (const GroupRecord& group : groups) {
            if (store::touches(group.begin, group.end, window.begin.ns, window.end.ns))
                merger.add(group);
        }
    };
    return database.forEach(
        "SELECT data FROM group_page WHERE track=? AND level_ns=? AND begin_ns>=? AND begin_ns<?"
        " ORDER BY begin_ns, sequence",
        [&](const Row& row) -> Status {
            if (!decodeGroups(row.blob(0), page))
                return damagedChunk(database, "a page of span groups");
            if (first)
                add(page.open);
            first = false;
            add(page.own);
            return {};
        },
        track.value, level, from, window.end.ns);
}

} // namespace

Status visitSpans(
    Database& database, TrackId track, TimeRange window, const SpanBlockVisitor& visit) {
    if (window.isEmpty())
        return {};
    const Result<std::int64_t> start = startSequence(database, track, window.begin);
    if (!start.hasValue())
        return start.error();
    SpanChunk chunk;
    std::vector<Span> block;
    bool first = true;
    bool stop = false;
    Status failure;
    const auto visitRow = [&](const Row& row) {
        if (row.integer(0) >= window.end.ns)
            return false;
        if (!decodeSpans(row.blob(1), chunk)) {
            failure = damagedChunk(database, "a chunk of spans");
            return false;
        }
        block.clear();
        const auto wanted = [&window](const Span& span) { return touches(span, window); };
        if (first)
            std::copy_if(chunk.open.begin(), chunk.open.end(), std::back_inserter(block), wanted);
        first = false;
        std::copy_if(chunk.own.begin(), chunk.own.end(), std::back_inserter(block), wanted);
        stop = !block.empty() && !visit(block);
        return !stop;
    };
    Status status = database.forEach(
        "SELECT begin_ns, data FROM span_chunk WHERE track=? AND sequence>=? ORDER BY sequence",
        visitRow, track.value, start.value());
    return failure.hasValue() ? status : failure;
}

Result<std::vector<SpanGroup>> querySpanGroups(
    Database& database, TrackId track, TimeRange window, DurationNs minWidth) {
    std::vector<SpanGroup> groups;
    if (window.isEmpty())
        return groups;
    std::int64_t level = 0;
    Status status = database.forEach(
        "SELECT max(level_ns) FROM group_page WHERE track=? AND level_ns<=?",
        [&level](const Row& row) { level = row.integer(0); }, track.value, minWidth.ns);
    if (!status.hasValue())
        return status.error();
    GroupMerger merger(
        minWidth.ns, [&groups](const GroupRecord& record) { groups.push_back(viewOf(record)); });
    if (level > 0) {
        status = visitGroups(database, track, level, window, merger);
    } else {
        status = visitSpans(database, track, window, [&merger](std::span<const Span> spans) {
            for (const Span& span : spans)
                merger.add(groupOf(span));
            return true;
        });
    }
    if (!status.hasValue())
        return status.error();
    merger.finish();
    return groups;
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
