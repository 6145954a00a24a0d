#include "core/store/spans/SpanReader.h"

#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/LodPage.h"

#include <bit>
#include <unordered_set>

namespace trainscope::store {

namespace {

constexpr std::size_t kMostAhead = 8; // chunks; a reader may have many streams open

// Unreadable where the track has chunks behind that number: those between are lost.
Status requireNoneBehind(Database& database, TrackId track, std::int64_t sequence) {
    ASSIGN_OR_RETURN(const auto isThere,
        database.number("SELECT EXISTS (SELECT 1 FROM span_chunk WHERE track=? AND sequence>?)",
            track.value, sequence));
    return isThere == 0 ? Status() : Status(database.damaged("the index of spans"));
}

// Beyond this, asking each name for its tracks costs more than looking at every track.
constexpr std::size_t kFewNames = 64;

std::string likePattern(std::string_view text) {
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

std::uint32_t childrenHolding(const std::vector<NameMask>& held, const NameList& wanted) {
    std::uint32_t children = 0;
    auto at = held.begin();
    for (const std::int64_t name : wanted) {
        at = std::lower_bound(at, held.end(), name,
            [](const NameMask& mask, std::int64_t id) { return mask.name < id; });
        if (at == held.end())
            break;
        if (at->name == name)
            children |= at->children;
    }
    return children;
}

// The name table also holds details, many more than names: only what tracks use is compared, each
// found with one step in the index.
Result<NameList> namesContaining(Database& database, std::string_view text) {
    Result<NameList> names = database.rows(
        "WITH RECURSIVE used(id) AS (SELECT min(name) FROM track_name UNION ALL"
        " SELECT (SELECT min(name) FROM track_name WHERE name>used.id) FROM used"
        " WHERE used.id IS NOT NULL)"
        " SELECT name.id FROM used CROSS JOIN name ON name.id=used.id WHERE name.text LIKE ?"
        " ESCAPE '\\'",
        [](const Row& row) { return row.integer(0); }, likePattern(text));
    if (names.hasValue())
        std::sort(names.value().begin(), names.value().end());
    return names;
}

// The node above everything of the track.
Result<TreeNode> topOf(Database& database, TrackId track) {
    ASSIGN_OR_RETURN(const auto level, topLevel(database, track));
    ASSIGN_OR_RETURN(
        const auto begin, database.number("SELECT begin_ns FROM track WHERE id=?", track.value));
    return TreeNode{level, 0, begin, 0};
}

// The children of a page that hold any of the names, in order.
Result<std::vector<TreeNode>> childrenWith(
    Database& database, TrackId track, const TreeNode& page, const NameList& names) {
    std::vector<NameMask> held;
    std::uint32_t holding = 0;
    RETURN_IF_ERROR(database.forEach(
        "SELECT names FROM group_page WHERE track=? AND level=? AND sequence=?",
        [&](const Row& row) -> Status {
            if (!decodeNames(row.blob(0), held))
                return database.damaged("the names of a page of spans");
            holding = childrenHolding(held, names);
            return {};
        },
        track.value, page.level, page.sequence));
    if (holding == 0)
        return std::vector<TreeNode>{};
    ASSIGN_OR_RETURN(auto children, childrenOf(database, track, page));
    std::erase_if(children, [holding](const TreeNode& child) {
        return (holding >> (child.sequence % static_cast<std::int64_t>(kFanOut)) & 1U) == 0;
    });
    const bool areAllThere = std::cmp_equal(children.size(), std::popcount(holding));
    return areAllThere ? Result(std::move(children))
                       : Result<std::vector<TreeNode>>(database.damaged("the index of spans"));
}

Status listChunks(Database& database, TrackId track, const TreeNode& node, const NameList& names,
    std::vector<std::int64_t>& chunks) {
    if (node.level == 0) {
        chunks.push_back(node.sequence);
        return {};
    }
    ASSIGN_OR_RETURN(const auto children, childrenWith(database, track, node, names));
    for (const TreeNode& child : children)
        RETURN_IF_ERROR(listChunks(database, track, child, names, chunks));
    return {};
}

Result<std::vector<TrackId>> tracksOf(Database& database, RunId run) {
    return database.rows(
        "SELECT id FROM track WHERE run=? AND count>0",
        [](const Row& row) { return TrackId{row.integer(0)}; }, run.value);
}

// Leaves the tracks that hold one of the names.
Status keepHolding(Database& database, const NameList& names, std::vector<TrackId>& tracks) {
    std::unordered_set<std::int64_t> holding;
    for (const std::int64_t name : names) {
        RETURN_IF_ERROR(database.forEach(
            "SELECT track FROM track_name WHERE name=?",
            [&holding](const Row& row) { holding.insert(row.integer(0)); }, name));
    }
    std::erase_if(tracks, [&holding](TrackId track) { return !holding.contains(track.value); });
    return {};
}

struct Wanted {
    NameList names; // ascending
    std::unordered_set<std::int64_t> set = {}; // the same
    std::vector<TrackId> tracks = {}; // tracks of the run that may hold some
};

Result<Wanted> findWanted(Database& database, RunId run, const SpanWish& wish) {
    Wanted wanted;
    if (wish.name.isValid()) {
        wanted.names = {wish.name.value};
    } else {
        ASSIGN_OR_RETURN(wanted.names, namesContaining(database, wish.text));
    }
    if (wanted.names.empty())
        return wanted;
    wanted.set.insert(wanted.names.begin(), wanted.names.end());
    ASSIGN_OR_RETURN(wanted.tracks, tracksOf(database, run));
    if (wanted.names.size() <= kFewNames)
        RETURN_IF_ERROR(keepHolding(database, wanted.names, wanted.tracks));
    return wanted;
}

// Calls visit(spans) with those of a chunk that have one of the names, until it says false.
template <typename Visit>
Status visitNamed(
    Database& database, TrackId track, const Wanted& wanted, SpanFields fields, Visit&& visit) {
    ASSIGN_OR_RETURN(const auto chunks, chunksHolding(database, track, wanted.names));
    SpanChunk chunk;
    for (const std::int64_t sequence : chunks) {
        RETURN_IF_ERROR(readSpanChunk(database, track, sequence, chunk, fields));
        std::erase_if(chunk.own,
            [&wanted](const Span& span) { return !wanted.set.contains(span.name.value); });
        if (!chunk.own.empty() && !visit(chunk.own))
            break;
    }
    return {};
}

} // namespace

Result<bool> readSpanChunk(
    Database& database, TrackId track, std::int64_t sequence, SpanChunk& chunk, SpanFields fields) {
    bool isThere = false;
    RETURN_IF_ERROR(database.forEach(
        "SELECT data FROM span_chunk WHERE track=? AND sequence=?",
        [&](const Row& row) -> Status {
            isThere = true;
            return decodeSpans(row.blob(0), chunk, fields)
                ? Status()
                : Status(database.damaged("a chunk of spans"));
        },
        track.value, sequence));
    return isThere;
}

Result<std::int64_t> topLevel(Database& database, TrackId track) {
    return database.number("SELECT max(level) FROM group_page WHERE track=?", track.value);
}

Result<std::vector<TreeNode>> childrenOf(Database& database, TrackId track, const TreeNode& page) {
    constexpr auto fanOut = static_cast<std::int64_t>(kFanOut);
    const std::int64_t level = page.level - 1;
    const std::int64_t first = page.sequence * fanOut;
    const auto node = [level](const Row& row) {
        return TreeNode{level, row.integer(0), row.integer(1), row.integer(2)};
    };
    if (level == 0)
        return database.rows("SELECT sequence, begin_ns, 0 FROM span_chunk WHERE track=? AND "
                             "sequence>=? AND sequence<? ORDER BY sequence",
            node, track.value, first, first + fanOut);
    return database.rows("SELECT sequence, begin_ns, width_ns FROM group_page WHERE track=? AND "
                         "level=? AND sequence>=? AND sequence<? ORDER BY sequence",
        node, track.value, level, first, first + fanOut);
}

Result<std::int64_t> firstChunk(Database& database, TrackId track, TimeNs begin) {
    return database.number("SELECT sequence FROM span_chunk WHERE track=? AND begin_ns<? ORDER BY "
                           "begin_ns DESC, sequence DESC LIMIT 1",
        track.value, begin.ns);
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

// Most windows lie in one or two chunks: the first is decoded here, without waking anyone.
Status SpanStream::readOne() {
    Bytes data;
    bool isThere = false;
    Status status = m_database.forEach(
        "SELECT begin_ns, data FROM span_chunk WHERE track=? AND sequence=?",
        [&](const Row& row) {
            isThere = true;
            if (row.integer(0) >= m_window.end.ns)
                return false;
            if (m_isFirst)
                m_ready.push_back(decode(row.blob(1), m_window, true, m_fields));
            const ByteView blob = row.blob(1);
            data.assign(blob.begin(), blob.end());
            return false;
        },
        m_track.value, m_sequence);
    if (status.hasValue() && !isThere)
        status = requireNoneBehind(m_database, m_track, m_sequence);
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
    if (m_sequence < 0 && !m_isRead)
        RETURN_IF_ERROR(assign(firstChunk(m_database, m_track, m_window.begin), m_sequence));
    while (true) {
        while (m_ready.empty() && !m_isRead)
            RETURN_IF_ERROR(readOne());
        if (m_ready.empty())
            m_jobs.finish();
        if (m_ready.empty())
            return std::span<const Span>{};
        const bool isGood = m_ready.front().isGood;
        m_current = std::move(m_ready.front().spans);
        m_ready.pop_front();
        if (!isGood)
            return m_database.damaged("a chunk of spans");
        if (!m_current.empty())
            return std::span<const Span>(m_current);
    }
}

Status visitSpans(Database& database, TrackId track, TimeRange window, const SpanVisitor& visit,
    SpanFields fields) {
    SpanStream stream(database, track, window, fields);
    while (true) {
        ASSIGN_OR_RETURN(const auto spans, stream.next());
        if (spans.empty() || !visit(spans))
            return {};
    }
}

Result<std::optional<Span>> querySpanAt(Database& database, TrackId track, TimeNs t, int depth) {
    std::optional<Span> found;
    const TimeRange instant{t, t + DurationNs{1}};
    RETURN_IF_ERROR(visitSpans(database, track, instant, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (span.depth == depth)
                found = span;
        }
        return true;
    }));
    return found;
}

Result<std::vector<FoundSpan>> queryCorrelated(
    Database& database, RunId run, int rank, std::int64_t correlation) {
    std::vector<FoundSpan> found;
    if (correlation == 0)
        return found;
    SpanChunk chunk;
    RETURN_IF_ERROR(database.forEach(
        "SELECT track.id, span_chunk.data FROM track JOIN span_chunk ON span_chunk.track=track.id"
        " WHERE track.run=? AND track.rank=? AND correlation_min<=? AND correlation_max>=?",
        [&](const Row& row) -> Status {
            if (!decodeSpans(row.blob(1), chunk, SpanFields::Correlation))
                return database.damaged("a chunk of spans");
            const bool isHere = std::any_of(chunk.own.begin(), chunk.own.end(),
                [correlation](const Span& span) { return span.correlation == correlation; });
            if (!isHere)
                return {};
            if (!decodeSpans(row.blob(1), chunk))
                return database.damaged("a chunk of spans");
            for (const Span& span : chunk.own) {
                if (span.correlation == correlation)
                    found.push_back({{row.integer(0)}, span});
            }
            return {};
        },
        run.value, rank, correlation, correlation));
    std::stable_sort(found.begin(), found.end(),
        [](const auto& a, const auto& b) { return a.span.start < b.span.start; });
    return found;
}

Result<std::vector<std::int64_t>> chunksHolding(
    Database& database, TrackId track, const NameList& names) {
    ASSIGN_OR_RETURN(const auto top, topOf(database, track));
    std::vector<std::int64_t> chunks;
    RETURN_IF_ERROR(listChunks(database, track, top, names, chunks));
    return chunks;
}

Status visitSpansNamed(Database& database, TrackId track, NameId name, const SpanVisitor& visit) {
    return visitNamed(database, track, {{name.value}, {name.value}}, SpanFields::All, visit);
}

Status visitFoundSpans(
    Database& database, RunId run, const SpanWish& wanted, const FoundVisitor& visit) {
    ASSIGN_OR_RETURN(const auto where, findWanted(database, run, wanted));
    bool goesOn = true;
    for (std::size_t i = 0; i < where.tracks.size() && goesOn; ++i) {
        const TrackId track = where.tracks[i];
        RETURN_IF_ERROR(visitNamed(database, track, where, SpanFields::Drawn,
            [&](const auto& spans) { return goesOn = visit(track, spans); }));
    }
    return {};
}

} // namespace trainscope::store
