#include "core/store/spans/SpanSearch.h"

#include "core/store/codec/SpanCodec.h"
#include "core/store/samples/SampleData.h"
#include "core/store/spans/GroupMerger.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace trainscope::store {
namespace {

// Beyond this, asking each name for its tracks costs more than looking at every track.
constexpr std::size_t kFewNames = 64;

struct Place {
    TrackId track;
    TreeNode node;
};

bool laterPlace(const Place& a, const Place& b) {
    return std::tuple(a.node.begin, a.track, a.node.sequence)
        > std::tuple(b.node.begin, b.track, b.node.sequence);
}

bool earlierHit(const Store::FoundSpan& a, const Store::FoundSpan& b) {
    return std::tuple(a.span.start, a.track) < std::tuple(b.span.start, b.track);
}

// Ids are given out one after the other: those of names lie close together.
class NameFilter {
public:
    explicit NameFilter(NameList names)
        : m_names(std::move(names))
        , m_first(m_names.front()) {
        const std::uint64_t range = distance(m_first, m_names.back());
        if (range > kWidest)
            return;
        m_isIn.resize(static_cast<std::size_t>(range) + 1);
        for (const std::int64_t name : m_names)
            m_isIn[static_cast<std::size_t>(name - m_first)] = true;
    }
    [[nodiscard]] const NameList& list() const { return m_names; }
    [[nodiscard]] bool contains(std::int64_t name) const {
        if (m_isIn.empty())
            return std::binary_search(m_names.begin(), m_names.end(), name);
        const std::uint64_t place
            = static_cast<std::uint64_t>(name) - static_cast<std::uint64_t>(m_first);
        return place < m_isIn.size() && m_isIn[static_cast<std::size_t>(place)];
    }

private:
    static constexpr std::uint64_t kWidest = std::uint64_t{1} << 24U;
    NameList m_names; // ascending, not empty
    std::int64_t m_first;
    std::vector<bool> m_isIn; // by id from m_first on; empty where they lie far apart
};

// Visits the chunks of all tracks in order of their begin, until no earlier hit can follow.
class Search {
public:
    Search(Database& database, NameList names, std::size_t limit)
        : m_database(database)
        , m_names(std::move(names))
        , m_limit(limit) { }

    Status add(TrackId track) {
        const Result<TreeNode> top = topOf(m_database, track);
        if (!top.hasValue())
            return top.error();
        push({track, top.value()});
        return {};
    }

    Result<std::vector<Store::FoundSpan>> run() {
        while (!m_places.empty() && !isDecided()) {
            std::pop_heap(m_places.begin(), m_places.end(), laterPlace);
            const Place place = m_places.back();
            m_places.pop_back();
            Status status = place.node.level > 0 ? descend(place) : searchChunk(place);
            if (!status.hasValue())
                return status.error();
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

    // In order of start, then of track, then as they follow each other there.
    void keepFirst() {
        if (!m_isSorted)
            std::stable_sort(m_found.begin(), m_found.end(), earlierHit);
        m_isSorted = true;
        if (m_found.size() > m_limit)
            m_found.resize(m_limit);
    }

    Status descend(const Place& place) {
        const auto children = childrenWith(m_database, place.track, place.node, m_names.list());
        if (!children.hasValue())
            return children.error();
        for (const TreeNode& child : children.value())
            push({place.track, child});
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
                    return damagedChunk(m_database, "a chunk of spans");
                for (const std::size_t hit : m_hits)
                    m_found.push_back({place.track, m_chunk.own[hit]});
                m_isSorted = m_isSorted && m_hits.empty();
                return {};
            },
            place.track.value, place.node.sequence);
    }

    // Where in the chunk; more than the limit cannot be among the first.
    void findHits() {
        m_hits.clear();
        for (std::size_t i = 0; i < m_chunk.own.size() && m_hits.size() < m_limit; ++i) {
            if (m_names.contains(m_chunk.own[i].name.value))
                m_hits.push_back(i);
        }
    }

    Database& m_database;
    NameFilter m_names;
    std::size_t m_limit;
    std::vector<Place> m_places; // heap by begin
    std::vector<Store::FoundSpan> m_found;
    bool m_isSorted = true;
    SpanChunk m_chunk;
    std::vector<std::size_t> m_hits;
};

Result<std::vector<TrackId>> tracksOf(Database& database, RunId run) {
    std::vector<TrackId> tracks;
    Status status = database.forEach(
        "SELECT id FROM track WHERE run=? AND count>0",
        [&tracks](const Row& row) { tracks.push_back({row.integer(0)}); }, run.value);
    if (!status.hasValue())
        return status.error();
    return tracks;
}

// Leaves the tracks that hold one of the names.
Status keepHolding(Database& database, const NameList& names, std::vector<TrackId>& tracks) {
    std::unordered_set<std::int64_t> holding;
    for (const std::int64_t name : names) {
        Status status = database.forEach(
            "SELECT track FROM track_name WHERE name=?",
            [&holding](const Row& row) { holding.insert(row.integer(0)); }, name);
        if (!status.hasValue())
            return status;
    }
    std::erase_if(tracks, [&holding](TrackId track) { return !holding.contains(track.value); });
    return {};
}

// Visits the spans of one name below a node, as long as the visitor wants more.
class NamedSpans {
public:
    NamedSpans(Database& database, TrackId track, NameId name, const Store::SpanVisitor& visit)
        : m_database(database)
        , m_track(track)
        , m_name(name)
        , m_visit(visit) { }

    Status below(const TreeNode& node) {
        if (node.level == 0)
            return inChunk(node.sequence);
        const auto children = childrenWith(m_database, m_track, node, {m_name.value});
        Status status = children.hasValue() ? Status() : Status(children.error());
        for (std::size_t i = 0; status.hasValue() && m_isWanted && i < children.value().size(); ++i)
            status = below(children.value()[i]);
        return status;
    }

private:
    Status inChunk(std::int64_t sequence) {
        return m_database.forEach(
            "SELECT data FROM span_chunk WHERE track=? AND sequence=?",
            [this](const Row& row) -> Status {
                if (!decodeSpans(row.blob(0), m_chunk))
                    return damagedChunk(m_database, "a chunk of spans");
                std::erase_if(
                    m_chunk.own, [this](const Span& span) { return span.name != m_name; });
                m_isWanted = m_chunk.own.empty() || m_visit(m_chunk.own);
                return {};
            },
            m_track.value, sequence);
    }

    Database& m_database;
    TrackId m_track;
    NameId m_name;
    const Store::SpanVisitor& m_visit;
    SpanChunk m_chunk;
    bool m_isWanted = true;
};

} // namespace

Status visitSpansNamed(
    Database& database, TrackId track, NameId name, const Store::SpanVisitor& visit) {
    const Result<TreeNode> top = topOf(database, track);
    if (!top.hasValue())
        return top.error();
    return NamedSpans(database, track, name, visit).below(top.value());
}

Result<std::vector<Store::FoundSpan>> queryFindSpans(
    Database& database, RunId run, std::string_view text, std::size_t limit) {
    Result<NameList> names = namesContaining(database, text);
    if (!names.hasValue())
        return names.error();
    if (names.value().empty() || limit == 0)
        return std::vector<Store::FoundSpan>{};
    Result<std::vector<TrackId>> tracks = tracksOf(database, run);
    Status status = tracks.hasValue() ? Status() : Status(tracks.error());
    if (status.hasValue() && names.value().size() <= kFewNames)
        status = keepHolding(database, names.value(), tracks.value());
    if (!status.hasValue())
        return status.error();
    Search search(database, std::move(names.value()), limit);
    for (const TrackId track : tracks.value()) {
        if (status = search.add(track); !status.hasValue())
            return status.error();
    }
    return search.run();
}

} // namespace trainscope::store
