#include "core/store/sql/VirtualTable.h"

#include "core/model/Try.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/SpanReader.h"
#include "core/store/spans/SpanSearch.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/StringTable.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace trainscope::store {
namespace {

enum SpanColumn {
    kRun,
    kRank,
    kDevice,
    kTrack,
    kName,
    kKind,
    kStart,
    kDuration,
    kDepth,
    kCorrelation,
    kDetail,
    kTrackId
};

constexpr std::size_t kMaxCachedNames = 100'000;
constexpr std::int64_t kNoChunk = -1;

struct TrackEntry {
    std::int64_t id = 0;
    std::string run;
    std::int64_t rank = -1;
    std::int64_t device = -1;
    std::string name;
};

class SpanRows : public RowSource {
public:
    explicit SpanRows(Database& database)
        : m_database(database) { }
    Status start(const std::vector<Constraint>& constraints) override;
    Status next() override;
    [[nodiscard]] bool atEnd() const override { return m_current >= m_tracks.size(); }
    Status column(int index, sqlite3_context* into) override;

private:
    Status listTracks(const std::vector<Constraint>& constraints);
    Status findName(const std::vector<Constraint>& constraints);
    Status beginTrack();
    bool nextChunk();
    Status settle();
    Status putName(NameId id, sqlite3_context* into);
    [[nodiscard]] bool isWanted(const Span& span) const {
        return span.start.ns >= m_start.begin
            && (!m_wanted
                || std::find(m_wanted->begin(), m_wanted->end(), span.name.value)
                    != m_wanted->end());
    }

    Database& m_database;
    std::vector<TrackEntry> m_tracks;
    std::size_t m_current = 0;
    std::optional<NameList> m_wanted; // by name=; empty: there is no such name
    std::vector<std::int64_t> m_chunks; // of the current track, where m_wanted says which
    std::size_t m_place = 0; // in m_chunks
    std::int64_t m_sequence = 0;
    std::size_t m_index = 0;
    SpanChunk m_chunk;
    bool m_loaded = false;
    IntegerRange m_start{};
    std::unordered_map<NameId, std::string> m_names;
};

Status SpanRows::findName(const std::vector<Constraint>& constraints) {
    m_wanted.reset();
    for (const Constraint& constraint : constraints) {
        const bool isName = constraint.column == kName && constraint.op == Comparison::Equal
            && constraint.isText();
        if (!isName || m_wanted)
            continue;
        m_wanted.emplace();
        RETURN_IF_ERROR(m_database.forEach(
            "SELECT id FROM name WHERE hash=?",
            [this](const Row& row) { m_wanted->push_back(row.integer(0)); },
            hashOf(constraint.text())));
    }
    return {};
}

Status SpanRows::listTracks(const std::vector<Constraint>& constraints) {
    return m_database.forEach(
        "SELECT track.id, run.name, rank, device, track.name FROM track JOIN run ON "
        "run.id=track.run WHERE count>0 ORDER BY run.name, rank, track.name, track.id",
        [&](const Row& row) {
            TrackEntry entry{
                row.integer(0), row.string(1), row.integer(2), row.integer(3), row.string(4)};
            const bool wanted = admits(constraints, kRun, entry.run)
                && admits(constraints, kRank, entry.rank)
                && admits(constraints, kDevice, entry.device)
                && admits(constraints, kTrack, entry.name)
                && admits(constraints, kTrackId, entry.id);
            if (wanted)
                m_tracks.push_back(std::move(entry));
        });
}

Status SpanRows::start(const std::vector<Constraint>& constraints) {
    m_tracks.clear();
    m_current = 0;
    m_loaded = false;
    m_start = rangeOf(constraints, kStart);
    RETURN_IF_ERROR(findName(constraints));
    if (m_wanted && m_wanted->empty())
        return {};
    RETURN_IF_ERROR(listTracks(constraints));
    if (atEnd())
        return {};
    RETURN_IF_ERROR(beginTrack());
    return settle();
}

Status SpanRows::beginTrack() {
    m_index = 0;
    m_loaded = false;
    m_chunks.clear();
    m_place = 0;
    const TrackId track{m_tracks[m_current].id};
    RETURN_IF_ERROR(assign(firstChunk(m_database, track, {m_start.begin}), m_sequence));
    if (!m_wanted)
        return {};
    Status status = assign(chunksHolding(m_database, track, *m_wanted), m_chunks);
    std::erase_if(m_chunks, [this](std::int64_t chunk) { return chunk < m_sequence; });
    m_sequence = m_chunks.empty() ? kNoChunk : m_chunks.front();
    return status;
}

bool SpanRows::nextChunk() {
    if (!m_wanted) {
        ++m_sequence;
        return true;
    }
    if (++m_place >= m_chunks.size())
        return false;
    m_sequence = m_chunks[m_place];
    return true;
}

Status SpanRows::settle() {
    while (!atEnd()) {
        bool found = m_loaded;
        if (!m_loaded) {
            const TrackId track{m_tracks[m_current].id};
            RETURN_IF_ERROR(assign(readSpanChunk(m_database, track, m_sequence, m_chunk), found));
            m_loaded = found;
        }
        const auto& own = m_chunk.own;
        while (found && m_index < own.size() && !isWanted(own[m_index]))
            ++m_index;
        if (found && m_index < own.size() && own[m_index].start.ns < m_start.end)
            return {};
        const bool isRead = found && m_index >= own.size();
        m_loaded = false;
        m_index = 0;
        if (isRead && nextChunk())
            continue;
        ++m_current;
        if (!atEnd())
            RETURN_IF_ERROR(beginTrack());
    }
    return {};
}

Status SpanRows::next() {
    ++m_index;
    return settle();
}

Status SpanRows::putName(NameId id, sqlite3_context* into) {
    if (!id.isValid())
        return {}; // NULL is what SQLite takes when nothing is put
    auto known = m_names.find(id);
    if (known == m_names.end()) {
        ASSIGN_OR_RETURN(auto text, readName(m_database, id));
        if (m_names.size() >= kMaxCachedNames)
            m_names.clear();
        known = m_names.emplace(id, std::move(text)).first;
    }
    return putText(into, known->second);
}

Status SpanRows::column(int index, sqlite3_context* into) {
    const TrackEntry& track = m_tracks[m_current];
    const Span& span = m_chunk.own[m_index];
    switch (index) {
    case kRun:
        return putText(into, track.run);
    case kRank:
        return putInteger(into, track.rank);
    case kDevice:
        return putInteger(into, track.device);
    case kTrack:
        return putText(into, track.name);
    case kName:
        return putName(span.name, into);
    case kKind:
        return putText(into, toString(span.kind));
    case kStart:
        return putInteger(into, span.start.ns);
    case kDuration:
        return putInteger(into, span.duration.ns);
    case kDepth:
        return putInteger(into, span.depth);
    case kCorrelation:
        return putInteger(into, span.correlation);
    case kDetail:
        return putName(span.detail, into);
    default:
        return putInteger(into, track.id);
    }
}

} // namespace

TableDefinition spanTable() {
    return {"spans",
        "CREATE TABLE x(run TEXT, rank INTEGER, device INTEGER, track TEXT, name TEXT, kind TEXT, "
        "start_ns INTEGER,"
        " duration_ns INTEGER, depth INTEGER, correlation INTEGER, detail TEXT, track_id INTEGER)",
        {kRun, kRank, kDevice, kTrack, kName, kTrackId}, {kStart},
        [](Database& database) { return std::make_unique<SpanRows>(database); }};
}

} // namespace trainscope::store
