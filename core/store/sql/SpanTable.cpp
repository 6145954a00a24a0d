#include "core/model/SpanFacts.h"
#include "core/model/WholeNumber.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/spans/SpanReader.h"
#include "core/store/sql/SqlTables.h"
#include "core/store/sql/VirtualTable.h"
#include "core/store/tables/Catalogue.h"
#include "core/store/tables/StringTable.h"

namespace trainscope::store {
namespace {

// The columns of `spans` that the store knows by itself; the computed ones follow.
enum OwnSpanColumn {
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
    kTrackId,
    kStream,
    kOwnSpanColumns
};

// True where any constraint is on that column.
bool asks(const Scan& scan, int column) {
    return std::any_of(scan.constraints.begin(), scan.constraints.end(),
        [column](const Constraint& constraint) { return constraint.column == column; });
}

// Fields of a span that have to be decoded.
SpanFields fieldsOf(const Scan& scan) {
    if (scan.columns >> kOwnSpanColumns != 0)
        return SpanFields::All;
    unsigned fields = 1U; // the start
    const std::array<std::pair<int, unsigned>, 6> places{{{kDuration, 1U}, {kName, 2U}, {kKind, 3U},
        {kCorrelation, 4U}, {kDetail, 5U}, {kDepth, 6U}}};
    for (const auto& [column, field] : places) {
        if (scan.uses(column) || asks(scan, column))
            fields |= 1U << field;
    }
    return static_cast<SpanFields>(fields);
}

constexpr std::size_t kMaxCachedNames = 100'000;

struct TrackEntry {
    PartCells cells;
    Track track;
};

std::optional<std::int64_t> streamOf(const TrackDescription& description) {
    const std::string& text = description.thread;
    const bool isStream
        = description.kind == TrackKind::Stream || description.kind == TrackKind::StreamAnnotation;
    return isStream ? wholeNumber<std::int64_t>(text) : std::nullopt;
}

class SpanRows : public RowSource {
public:
    SpanRows(Database& database, SqlPass& pass, const std::vector<SpanColumn>& columns)
        : m_database(database)
        , m_pass(pass)
        , m_columns(columns) { }
    Status start(const Scan& scan) override;
    Status nextBlock() override;
    void column(int index, sqlite3_context* into) override;
    [[nodiscard]] std::int64_t rowId() const override;

private:
    [[nodiscard]] bool isWanted(const Span& span) const;
    [[nodiscard]] const Span& spanOfRow() const { return m_chunk.own[m_wantedSpans[row()]]; }
    Status readAllTracks();
    Status listTracks(const Scan& scan);
    Status findName(const Scan& scan);
    Status beginTrack();
    Result<std::vector<std::int64_t>> chunksOf(TrackId track);
    Status readChunk();
    void endTrack();
    void putName(NameId id, sqlite3_context* into);
    void putComputed(std::size_t index, sqlite3_context* into);

    Database& m_database;
    SqlPass& m_pass;
    const std::vector<SpanColumn>& m_columns;
    std::optional<PartIndex<TrackEntry>> m_all; // all of the file, once they were read
    std::vector<const TrackEntry*> m_tracks; // in this pass
    std::size_t m_next = 0; // track to be entered
    const TrackEntry* m_current = nullptr; // nullptr: between tracks
    std::optional<NameList> m_wanted; // by name=; empty: there is no such name
    std::optional<std::int64_t> m_correlation; // by correlation=
    std::vector<std::int64_t> m_chunks; // those of the current track that may hold what is wanted
    std::size_t m_place = 0; // in m_chunks: the next to read
    IntegerRange m_start;
    std::array<bool, static_cast<std::size_t>(SpanKind::Other) + 1>
        m_kinds{}; // the kinds asked for
    SpanFields m_fields = SpanFields::All;
    SpanChunk m_chunk;
    std::int64_t m_read = 0; // the number of m_chunk
    std::vector<std::uint32_t> m_wantedSpans; // places in m_chunk
    std::unordered_map<NameId, std::string> m_names;
};

Status SpanRows::findName(const Scan& scan) {
    m_wanted.reset();
    for (const Constraint& constraint : scan.constraints) {
        const bool isName = constraint.column == kName && constraint.op == Comparison::Equal
            && constraint.values.size() == 1
            && constraint.values.front().type == SqlValue::Type::Text;
        if (!isName || m_wanted)
            continue;
        m_wanted.emplace();
        RETURN_IF_ERROR(m_database.forEach(
            "SELECT id FROM name WHERE hash=?",
            [this](const Row& row) { m_wanted->push_back(row.integer(0)); },
            hashOf(constraint.values.front().text)));
    }
    return {};
}

Status SpanRows::readAllTracks() {
    ASSIGN_OR_RETURN(const auto runs, readRuns(m_database));
    m_all.emplace(std::vector<int>{kRank, kTrackId});
    for (const Run& run : runs) {
        const std::string_view runName = m_pass.lasting(run.name);
        ASSIGN_OR_RETURN(auto tracks, readTracks(m_database, run.id));
        for (Track& track : tracks) {
            if (track.count == 0)
                continue;
            const TrackDescription& described = track.description;
            TrackEntry entry{{runName, std::int64_t{described.rank}, std::int64_t{described.device},
                                 m_pass.lasting(described.name)},
                {}};
            entry.cells[kTrackId] = track.id.value;
            if (const auto stream = streamOf(described))
                entry.cells[kStream] = *stream;
            entry.track = std::move(track);
            m_all->add(std::move(entry));
        }
    }
    return {};
}

Status SpanRows::listTracks(const Scan& scan) {
    if (!m_all)
        RETURN_IF_ERROR(readAllTracks());
    const std::vector<OrderTerm> usual{
        {kRun, false}, {kRank, false}, {kTrack, false}, {kTrackId, false}};
    m_tracks = m_all->select(scan.constraints, scan.order.empty() ? usual : scan.order);
    if (asks(scan, kStream))
        std::erase_if(m_tracks, [](const TrackEntry* entry) {
            return std::holds_alternative<std::monostate>(entry->cells[kStream]);
        });
    return {};
}

Status SpanRows::start(const Scan& scan) {
    m_tracks.clear();
    m_next = 0;
    endTrack();
    m_correlation = numberAsked(scan.constraints, kCorrelation);
    RETURN_IF_ERROR(findName(scan));
    m_start = integerRangeOf(scan.constraints, kStart);
    for (std::size_t i = 0; i < m_kinds.size(); ++i)
        m_kinds[i] = admits(scan.constraints, kKind, toString(static_cast<SpanKind>(i)));
    m_fields = fieldsOf(scan);
    if ((!m_wanted || !m_wanted->empty()) && !m_start.isEmpty())
        RETURN_IF_ERROR(listTracks(scan));
    return nextBlock();
}

Result<std::vector<std::int64_t>> SpanRows::chunksOf(TrackId track) {
    if (m_correlation)
        return m_database.rows(
            "SELECT sequence FROM span_chunk WHERE track=? AND correlation_min<=? AND "
            "correlation_max>=? ORDER BY sequence",
            [](const Row& row) { return row.integer(0); }, track.value, *m_correlation,
            *m_correlation);
    if (m_wanted)
        return chunksHolding(m_database, track, *m_wanted);
    ASSIGN_OR_RETURN(auto all,
        m_database.rows(
            "SELECT sequence FROM span_chunk WHERE track=? AND begin_ns<? ORDER BY sequence",
            [](const Row& row) { return row.integer(0); }, track.value, m_start.end));
    if (!all.empty() && std::cmp_not_equal(all.back(), all.size() - 1))
        return m_database.damaged("the index of spans");
    return all;
}

Status SpanRows::beginTrack() {
    m_current = m_tracks[m_next++];
    m_place = 0;
    const TrackId track = m_current->track.id;
    ASSIGN_OR_RETURN(const auto first, firstChunk(m_database, track, {m_start.begin}));
    RETURN_IF_ERROR(assign(chunksOf(track), m_chunks));
    std::erase_if(m_chunks, [first](std::int64_t chunk) { return chunk < first; });
    return {};
}

void SpanRows::endTrack() {
    m_current = nullptr;
    enterBlock(0);
}

bool SpanRows::isWanted(const Span& span) const {
    return m_start.contains(span.start.ns) && m_kinds[static_cast<std::size_t>(span.kind)]
        && (!m_wanted
            || std::find(m_wanted->begin(), m_wanted->end(), span.name.value) != m_wanted->end());
}

Status SpanRows::readChunk() {
    m_read = m_chunks[m_place++];
    ASSIGN_OR_RETURN(const auto isThere,
        readSpanChunk(m_database, m_current->track.id, m_read, m_chunk, m_fields));
    if (!isThere)
        return m_database.damaged("the index of spans");
    const auto& spans = m_chunk.own;
    if (!spans.empty() && spans.back().start.ns >= m_start.end)
        m_place = m_chunks.size();
    m_wantedSpans.clear();
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (isWanted(spans[i]))
            m_wantedSpans.push_back(static_cast<std::uint32_t>(i));
    }
    enterBlock(m_wantedSpans.size());
    return {};
}

std::int64_t SpanRows::rowId() const {
    const std::uint64_t before = static_cast<std::uint64_t>(m_read) * kChunkSpans;
    return rowIdOf(
        m_current->track.id.value, static_cast<std::int64_t>(before + m_wantedSpans[row()]));
}

Status SpanRows::nextBlock() {
    enterBlock(0);
    while (isAtEnd()) {
        RETURN_IF_ERROR(m_pass.goOn());
        if (m_current != nullptr && m_place == m_chunks.size())
            endTrack();
        if (m_current != nullptr)
            RETURN_IF_ERROR(readChunk());
        else if (m_next < m_tracks.size())
            RETURN_IF_ERROR(beginTrack());
        else
            return {};
    }
    return {};
}

void SpanRows::putName(NameId id, sqlite3_context* into) {
    if (!id.isValid())
        return; // NULL is what SQLite takes when nothing is put
    auto known = m_names.find(id);
    if (known == m_names.end()) {
        auto text = readName(m_database, id);
        if (!text.hasValue())
            return putError(into, text.error());
        if (m_names.size() >= kMaxCachedNames)
            m_names.clear();
        known = m_names.emplace(id, std::move(text).value()).first;
    }
    putText(into, known->second);
}

void SpanRows::putComputed(std::size_t index, sqlite3_context* into) {
    const auto cell = m_columns[index].value(m_current->track, spanOfRow());
    if (!cell.hasValue())
        return putError(into, cell.error());
    if (const auto* text = std::get_if<std::string_view>(&cell.value()))
        putText(into, *text);
    else
        putCell(into, cell.value());
}

void SpanRows::column(int index, sqlite3_context* into) {
    const Span& span = spanOfRow();
    switch (index) {
    case kName:
        return putName(span.name, into);
    case kKind:
        return putLastingText(into, toString(span.kind));
    case kStart:
        return putInteger(into, span.start.ns);
    case kDuration:
        return putInteger(into, span.duration.ns);
    case kDepth:
        return putInteger(into, span.depth);
    case kCorrelation:
        return launchOf(span) == 0 ? void() : putInteger(into, launchOf(span));
    case kDetail:
        return putName(span.detail, into);
    default:
        return index < kOwnSpanColumns
            ? putCell(into, m_current->cells[static_cast<std::size_t>(index)])
            : putComputed(static_cast<std::size_t>(index - kOwnSpanColumns), into);
    }
}

} // namespace

TableDefinition spanTable(SqlPass& pass, std::vector<SpanColumn> computed) {
    using Type = VirtualColumn::Type;
    static const PartColumns parts{{kRun, kRank, kDevice, kTrack, kTrackId}, kTrackId, kStart};
    std::vector<VirtualColumn> columns{{Type::Text, "run", Narrowing::Equal, "Name of the run"},
        {Type::Integer, "rank", Narrowing::Equal, "Global rank"},
        {Type::Integer, "device", Narrowing::Equal, "Number of the device, -1 on the host"},
        {Type::Text, "track", Narrowing::Equal, "Stream or thread that it ran on"},
        {Type::Text, "name", Narrowing::Hint, "Kernel, call or annotation"},
        {Type::Text, "kind", Narrowing::Equal, "kernel, copy, set, runtime, cpu_op, annotation, …"},
        {Type::Integer, "start_ns", Narrowing::Range, "Nanoseconds since the Unix epoch"},
        {Type::Integer, "duration_ns", Narrowing::None, "Nanoseconds"},
        {Type::Integer, "depth", Narrowing::None, "How many spans of the track surround it"},
        {Type::Integer, "correlation", Narrowing::Hint, "Joins a launch with what it launched"},
        {Type::Text, "detail", Narrowing::None, "Remaining arguments, JSON"},
        {Type::Integer, "track_id", Narrowing::Equal, "track.id"},
        {Type::Integer, "stream", Narrowing::Equal, "Number of the device stream"}};
    for (const SpanColumn& column : computed)
        columns.push_back({column.type == SpanColumn::Type::Text ? Type::Text
                : column.type == SpanColumn::Type::Integer       ? Type::Integer
                                                                 : Type::Real,
            column.name, Narrowing::None, column.help});
    auto shared = std::make_shared<const std::vector<SpanColumn>>(std::move(computed));
    return {"spans", "One row per kernel, copy, call or annotation", std::move(columns),
        [](const auto& order) { return isOrderOfParts(order, parts); },
        [&pass, shared](
            Database& database) { return std::make_unique<SpanRows>(database, pass, *shared); }};
}

} // namespace trainscope::store
