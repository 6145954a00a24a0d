#include "core/store/SpanSearch.h"

#include "core/store/SampleData.h"
#include "core/store/SpanCodec.h"

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

// Visits the chunks of all tracks in order of their begin, until no earlier hit can follow.
class Search {
public:
    Search(Database& database, NameList names, std::size_t limit)
        : m_database(database)
        , m_names(std::move(names))
        , m_set(m_names.begin(), m_names.end())
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
        const auto children = childrenWith(m_database, place.track, place.node, m_names);
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
                const bool isGood = decodeSpans(row.blob(0), m_chunk, SpanFields::Name)
                    && (!holdsAny() || decodeSpans(row.blob(0), m_chunk));
                if (!isGood)
                    return damagedChunk(m_database, "a chunk of spans");
                takeHits(place.track);
                return {};
            },
            place.track.value, place.node.sequence);
    }

    [[nodiscard]] bool holdsAny() const {
        return std::any_of(m_chunk.own.begin(), m_chunk.own.end(),
            [this](const Span& span) { return m_set.contains(span.name.value); });
    }

    void takeHits(TrackId track) {
        std::size_t taken = 0; // no more of one chunk can be among the first
        for (const Span& span : m_chunk.own) {
            if (taken == m_limit)
                return;
            if (!m_set.contains(span.name.value))
                continue;
            m_found.push_back({track, span});
            m_isSorted = false;
            ++taken;
        }
    }

    Database& m_database;
    NameList m_names;
    std::unordered_set<std::int64_t> m_set;
    std::size_t m_limit;
    std::vector<Place> m_places; // heap by begin
    std::vector<Store::FoundSpan> m_found;
    bool m_isSorted = true;
    SpanChunk m_chunk;
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

} // namespace

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
