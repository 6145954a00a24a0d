#include "core/store/spans/SpanSearch.h"

#include "core/model/Try.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/LodPage.h"
#include "core/store/spans/SpanReader.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace trainscope::store {
namespace {

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

struct Place {
    TrackId track;
    TreeNode node;
};

bool laterPlace(const Place& a, const Place& b) {
    return std::tuple(a.node.begin, a.track, a.node.sequence)
        > std::tuple(b.node.begin, b.track, b.node.sequence);
}

bool earlierHit(const FoundSpan& a, const FoundSpan& b) {
    return std::tuple(a.span.start, a.track) < std::tuple(b.span.start, b.track);
}

// Visits the chunks of all tracks in order of their begin, until no earlier hit can follow.
class Search {
public:
    Search(Database& database, NameList names, TimeRange window, std::size_t limit)
        : m_database(database)
        , m_names(std::move(names))
        , m_set(m_names.begin(), m_names.end())
        , m_window(window)
        , m_limit(limit) { }

    Status add(TrackId track) {
        ASSIGN_OR_RETURN(const auto top, topOf(m_database, track));
        push({track, top});
        return {};
    }

    Result<std::vector<FoundSpan>> run() {
        while (!m_places.empty() && m_places.front().node.begin < m_window.end.ns && !isDecided()) {
            std::pop_heap(m_places.begin(), m_places.end(), laterPlace);
            const Place place = m_places.back();
            m_places.pop_back();
            RETURN_IF_ERROR(place.node.level > 0 ? descend(place) : searchChunk(place));
        }
        keepFirst();
        return std::move(m_found);
    }

private:
    void push(Place place) {
        m_places.push_back(place);
        std::push_heap(m_places.begin(), m_places.end(), laterPlace);
    }

    [[nodiscard]] bool isDecided() {
        if (m_found.size() < m_limit)
            return false;
        keepFirst();
        return m_found.back().span.start.ns < m_places.front().node.begin;
    }

    // Hits are ordered by start, then by track, then as they follow each other there.
    void keepFirst() {
        if (!m_isSorted)
            std::stable_sort(m_found.begin(), m_found.end(), earlierHit);
        m_isSorted = true;
        if (m_found.size() > m_limit)
            m_found.resize(m_limit);
    }

    Status descend(const Place& place) {
        ASSIGN_OR_RETURN(
            const auto children, childrenWith(m_database, place.track, place.node, m_names));
        // Starts in a child are not behind the begin of the next one.
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i + 1 == children.size() || children[i + 1].begin >= m_window.begin.ns)
                push({place.track, children[i]});
        }
        return {};
    }

    Status searchChunk(const Place& place) {
        return m_database.forEach(
            "SELECT data FROM span_chunk WHERE track=? AND sequence=?",
            [&](const Row& row) -> Status {
                bool isGood = decodeSpans(row.blob(0), m_chunk, SpanFields::Name);
                findHits();
                if (isGood && !m_hits.empty())
                    isGood = decodeSpans(row.blob(0), m_chunk);
                if (!isGood)
                    return m_database.damaged("a chunk of spans");
                for (const std::size_t hit : m_hits) {
                    if (m_window.contains(m_chunk.own[hit].start))
                        m_found.push_back({place.track, m_chunk.own[hit]});
                }
                m_isSorted = m_isSorted && m_hits.empty();
                return {};
            },
            place.track.value, place.node.sequence);
    }

    // Notes the places in the chunk.
    void findHits() {
        m_hits.clear();
        for (std::size_t i = 0; i < m_chunk.own.size(); ++i) {
            if (m_set.contains(m_chunk.own[i].name.value))
                m_hits.push_back(i);
        }
    }

    Database& m_database;
    NameList m_names;
    std::unordered_set<std::int64_t> m_set; // the same
    TimeRange m_window;
    std::size_t m_limit;
    std::vector<Place> m_places; // heap by begin
    std::vector<FoundSpan> m_found;
    bool m_isSorted = true;
    SpanChunk m_chunk;
    std::vector<std::size_t> m_hits;
};

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
    std::vector<TrackId> tracks; // of the run, which may hold some
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
    ASSIGN_OR_RETURN(wanted.tracks, tracksOf(database, run));
    if (wanted.names.size() <= kFewNames)
        RETURN_IF_ERROR(keepHolding(database, wanted.names, wanted.tracks));
    return wanted;
}

} // namespace

Result<std::vector<std::int64_t>> chunksHolding(
    Database& database, TrackId track, const NameList& names) {
    ASSIGN_OR_RETURN(const auto top, topOf(database, track));
    std::vector<std::int64_t> chunks;
    RETURN_IF_ERROR(listChunks(database, track, top, names, chunks));
    return chunks;
}

Status visitSpansNamed(Database& database, TrackId track, NameId name, const SpanVisitor& visit) {
    ASSIGN_OR_RETURN(const auto chunks, chunksHolding(database, track, {name.value}));
    SpanChunk chunk;
    for (const std::int64_t sequence : chunks) {
        RETURN_IF_ERROR(readSpanChunk(database, track, sequence, chunk));
        std::erase_if(chunk.own, [name](const Span& span) { return span.name != name; });
        if (!chunk.own.empty() && !visit(chunk.own))
            break;
    }
    return {};
}

Result<std::vector<FoundSpan>> queryFindSpans(
    Database& database, RunId run, const SpanWish& wanted, TimeRange window, std::size_t limit) {
    ASSIGN_OR_RETURN(auto found, findWanted(database, run, wanted));
    if (found.names.empty() || limit == 0)
        return std::vector<FoundSpan>{};
    Search search(database, std::move(found.names), window, limit);
    for (const TrackId track : found.tracks)
        RETURN_IF_ERROR(search.add(track));
    return search.run();
}

Status visitFoundSpans(
    Database& database, RunId run, const SpanWish& wanted, const FoundVisitor& visit) {
    ASSIGN_OR_RETURN(const auto found, findWanted(database, run, wanted));
    if (found.names.empty())
        return {};
    const std::unordered_set<std::int64_t> names(found.names.begin(), found.names.end());
    SpanChunk chunk;
    for (const TrackId track : found.tracks) {
        ASSIGN_OR_RETURN(const auto chunks, chunksHolding(database, track, found.names));
        for (const std::int64_t sequence : chunks) {
            RETURN_IF_ERROR(readSpanChunk(database, track, sequence, chunk, SpanFields::Drawn));
            std::erase_if(
                chunk.own, [&names](const Span& span) { return !names.contains(span.name.value); });
            if (!chunk.own.empty() && !visit(track, chunk.own))
                return {};
        }
    }
    return {};
}

} // namespace trainscope::store
