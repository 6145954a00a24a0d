#include "core/store/spans/SpanStream.h"

#include "core/store/samples/SampleData.h"
#include "core/store/spans/GroupMerger.h"

#include <algorithm>
#include <iterator>

namespace trainscope::store {
namespace {

constexpr std::size_t kMostAhead = 8; // chunks; a reader may have many streams open

} // namespace

Result<std::int64_t> firstChunk(Database& database, TrackId track, TimeNs begin) {
    std::int64_t sequence = 0;
    Status status = database.forEach(
        "SELECT sequence FROM span_chunk WHERE track=? AND begin_ns<? ORDER BY begin_ns DESC, "
        "sequence DESC LIMIT 1",
        [&sequence](const Row& row) { sequence = row.integer(0); }, track.value, begin.ns);
    if (!status.hasValue())
        return status.error();
    return sequence;
}

SpanStream::SpanStream(Database& database, TrackId track, TimeRange window, SpanFields fields)
    : m_database(database)
    , m_track(track)
    , m_window(window)
    , m_fields(fields)
    , m_isRead(window.isEmpty())
    , m_jobs(WorkerPool::shared(), kMostAhead,
          [this](Decoded&& decoded) { m_ready.push_back(std::move(decoded)); }) { }

SpanStream::Decoded SpanStream::decode(
    ByteView data, TimeRange window, bool isFirst, SpanFields fields) {
    SpanChunk chunk;
    if (!decodeSpans(data, chunk, fields))
        return {};
    const auto touching = [window](const Span& span) {
        return touches(span.start.ns, endOf(span), window.begin.ns, window.end.ns);
    };
    std::vector<Span>& own = chunk.own;
    const bool isInside
        = !own.empty() && own.front().start >= window.begin && own.back().start < window.end;
    if (!isInside)
        std::erase_if(own, [&touching](const Span& span) { return !touching(span); });
    if (isFirst) {
        std::erase_if(chunk.open, [&touching](const Span& span) { return !touching(span); });
        own.insert(own.begin(), chunk.open.begin(), chunk.open.end());
    }
    return {true, std::move(own)};
}

Status SpanStream::begin() {
    const Result<std::int64_t> first = firstChunk(m_database, m_track, m_window.begin);
    if (!first.hasValue())
        return first.error();
    m_sequence = first.value();
    return {};
}

// Most windows lie in one or two chunks: the first is decoded here, without waking anyone.
Status SpanStream::readOne() {
    Bytes data;
    Status status = m_database.forEach(
        "SELECT begin_ns, data FROM span_chunk WHERE track=? AND sequence=?",
        [&](const Row& row) {
            if (row.integer(0) >= m_window.end.ns)
                return false;
            if (m_isFirst)
                m_ready.push_back(decode(row.blob(1), m_window, true, m_fields));
            const ByteView blob = row.blob(1);
            data.assign(blob.begin(), blob.end());
            return false;
        },
        m_track.value, m_sequence);
    m_isRead = !status.hasValue() || data.empty();
    if (!m_isRead && !m_isFirst) {
        m_jobs.submit([data = std::move(data), window = m_window, fields = m_fields] {
            return decode(data, window, false, fields);
        });
    }
    m_isFirst = false;
    ++m_sequence;
    return status;
}

Result<std::span<const Span>> SpanStream::next() {
    if (m_sequence < 0 && !m_isRead) {
        if (Status status = begin(); !status.hasValue())
            return status.error();
    }
    while (true) {
        while (m_ready.empty() && !m_isRead) {
            if (Status status = readOne(); !status.hasValue())
                return status.error();
        }
        if (m_ready.empty())
            m_jobs.finish();
        if (m_ready.empty())
            return std::span<const Span>{};
        const bool isGood = m_ready.front().isGood;
        m_current = std::move(m_ready.front().spans);
        m_ready.pop_front();
        if (!isGood)
            return damagedChunk(m_database, "a chunk of spans");
        if (!m_current.empty())
            return std::span<const Span>(m_current);
    }
}

} // namespace trainscope::store
