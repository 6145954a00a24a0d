#include "web/data/PageData.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"
#include "core/store/Connection.h"
#include "core/store/codec/SpanCodec.h"
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/samples/SeriesPyramid.h"
#include "core/store/spans/LodPage.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <iterator>

namespace trainscope::web {
namespace {

using store::Bytes;
using store::ByteView;
using store::ByteWriter;

constexpr std::size_t kBlock = std::size_t{1} << 18U;
constexpr int kMostLevels = 12; // in the tree of any track
constexpr std::int64_t kMostOfGraph = 2'000'000; // spans, whose graph is built in passing
constexpr std::size_t kLongestPath = 200'000; // operations

struct Place {
    std::size_t block = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
    // As sample_chunk and bucket_page have it.
    [[nodiscard]] std::int64_t address() const {
        return static_cast<std::int64_t>(block << 32U | offset);
    }
};
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Place>;
using Cells = std::vector<Cell>;

struct Table {
    std::string name;
    std::vector<std::string> columns;
    std::vector<Cells> rows = {};
};

void writeCell(const Cell& cell, std::int64_t& before, ByteWriter& out) {
    out.u8(static_cast<std::uint8_t>(cell.index()));
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
        out.signedVarint(store::wrappingDifference(*integer, before));
        before = *integer;
    } else if (const auto* real = std::get_if<double>(&cell)) {
        out.raw({reinterpret_cast<const std::uint8_t*>(real), sizeof(*real)});
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        out.block({reinterpret_cast<const std::uint8_t*>(text->data()), text->size()});
    } else if (const auto* place = std::get_if<Place>(&cell)) {
        out.varint(place->block);
        out.varint(place->offset);
        out.varint(place->size);
    }
}

void writeText(const std::string& text, ByteWriter& out) {
    out.block({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Bytes bytesOf(const std::vector<Table>& tables) {
    Bytes bytes;
    ByteWriter out(bytes);
    out.varint(tables.size());
    for (const Table& table : tables) {
        writeText(table.name, out);
        out.varint(table.columns.size());
        for (const std::string& column : table.columns)
            writeText(column, out);
        out.varint(table.rows.size());
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            std::int64_t before = 0;
            for (const Cells& row : table.rows)
                writeCell(row[column], before, out);
        }
    }
    return bytes;
}

// Bytes of a chunk or page as the page's program reads them: nothing of them is under zstd.
Result<Bytes> plainBuckets(store::Database& database, store::DataPlace place) {
    Bytes stored;
    Bytes plain;
    RETURN_IF_ERROR(store::readData(database, place, stored));
    if (!store::unsqueezeNodes(stored, plain))
        return database.damaged("a page of buckets");
    return plain;
}
Result<Bytes> plainGroups(const store::Database& database, ByteView stored) {
    store::LodPage page;
    Bytes plain;
    if (!store::decodePage(stored, page))
        return database.damaged("a page of span groups");
    store::encodePage(page, plain);
    return plain;
}
Result<Bytes> plainSpans(const store::Database& database, ByteView stored) {
    store::SpanChunk chunk;
    Bytes plain;
    if (!store::decodeSpans(stored, chunk, store::SpanFields::Drawn))
        return database.damaged("a chunk of spans");
    store::encodeSpans(chunk.open, chunk.own, plain);
    return plain;
}

Cells cellsOf(const std::vector<store::SqlValue>& values) {
    Cells cells;
    for (const store::SqlValue& value : values) {
        using enum store::SqlValue::Type;
        cells.push_back(value.type == Null ? Cell()
                : value.type == Integer    ? Cell(value.integer)
                : value.type == Real       ? Cell(value.real)
                                           : Cell(value.text));
    }
    return cells;
}

// A table whose rows have bytes, which a served page asks part by part: the rows of one series or
// track, then the bytes of a row, "TABLE.KEY" and "TABLE.KEY.ID.WHICH". `sql` names the row as id;
// `places` are the columns behind it, of which each has the bytes of that number, or is a size.
struct Shelf {
    std::string_view table;
    std::string_view sql;
    std::vector<std::pair<std::string, Cell>> places;
};
constexpr std::size_t kAllOfBlock = 0xFFFFFFFF;

const std::vector<Shelf>& shelves() {
    const Cell size = std::int64_t{kAllOfBlock};
    const Cell first = Place{0, 0, kAllOfBlock};
    const Cell second = Place{1, 0, kAllOfBlock};
    static const std::vector<Shelf> all{
        {"sample_chunk",
            "SELECT series, first_index, count, begin_ns, end_ns, missing, min, max, last, "
            "weighted_sum, weight_ns, first_index AS id FROM sample_chunk WHERE series={} ORDER BY "
            "first_index",
            {{"values_at", first}, {"values_size", size}, {"times_at", second},
                {"times_size", size}, {"base_at", {}}, {"base_size", {}}}},
        {"bucket_page",
            "SELECT series, kind, level, first_index, count, data_at AS id FROM bucket_page WHERE "
            "series={} ORDER BY kind, level, first_index",
            {{"data_at", first}, {"data_size", size}}},
        {"span_chunk",
            "SELECT track, sequence, begin_ns, id FROM span_chunk WHERE track={} ORDER BY sequence",
            {{"data", first}}},
        {"group_page",
            "SELECT track, level, sequence, begin_ns, width_ns, id FROM group_page WHERE track={} "
            "ORDER BY level DESC, sequence",
            {{"data", first}, {"names", second}}}};
    return all;
}

Result<Table> rowsOf(const store::Store& store, const Shelf& shelf, std::int64_t key) {
    Table table{std::string(shelf.table), {}};
    RETURN_IF_ERROR(store.query(
        fmt::format(fmt::runtime(shelf.sql), key),
        [&](const std::vector<std::string>& names) { table.columns = names; },
        [&](const std::vector<store::SqlValue>& values) {
            Cells& cells = table.rows.emplace_back(cellsOf(values));
            for (const auto& [column, cell] : shelf.places)
                cells.push_back(cell);
            return true;
        }));
    for (const auto& [column, cell] : shelf.places)
        table.columns.push_back(column);
    return table;
}

Result<Bytes> samplesOf(
    store::Database& database, SeriesId series, std::int64_t first, std::int64_t which) {
    store::SampleReader reader(database, series);
    ASSIGN_OR_RETURN(const auto chunk, reader.at(first));
    if (chunk == nullptr || chunk->firstIndex != first)
        return database.damaged("the index of samples");
    Bytes plain;
    if (which == 0)
        store::encodeValues(chunk->values, plain);
    else
        store::encodeTimes(chunk->times, plain);
    return plain;
}

Result<Bytes> bytesOfRow(store::Database& database, std::string_view table, std::int64_t key,
    std::int64_t id, std::int64_t which) {
    if (table == "sample_chunk")
        return samplesOf(database, SeriesId{key}, id, which);
    if (table == "bucket_page") {
        ASSIGN_OR_RETURN(const auto size,
            database.number(
                "SELECT data_size FROM bucket_page WHERE series=? AND data_at=?", key, id));
        return plainBuckets(database, {id, size});
    }
    Result<Bytes> plain = database.damaged("the index of spans");
    const auto read = [&](const store::Row& row) {
        const ByteView stored = row.blob(0);
        plain = table == "span_chunk" ? plainSpans(database, stored)
            : which == 0              ? plainGroups(database, stored)
                                      : Result<Bytes>(Bytes(stored.begin(), stored.end()));
    };
    RETURN_IF_ERROR(table == "span_chunk"
            ? database.forEach("SELECT data FROM span_chunk WHERE id=? AND track=?", read, id, key)
            : which == 0
            ? database.forEach("SELECT data FROM group_page WHERE id=? AND track=?", read, id, key)
            : database.forEach(
                "SELECT names FROM group_page WHERE id=? AND track=?", read, id, key));
    return plain;
}

class PageBuilder {
public:
    PageBuilder(const analysis::RunStudies& studies, const std::vector<Run>& runs,
        const PageDetail& detail, const std::vector<plot::TimelineMark>& marks)
        : m_studies(studies)
        , m_store(studies.store)
        , m_database(studies.store.connection().database)
        , m_runs(runs)
        , m_marks(marks)
        , m_detail(detail) {
        for (const Run& run : runs)
            m_ids += (m_ids.empty() ? "" : ",") + std::to_string(run.id.value);
    }

    Result<PageData> build() {
        const store::StoredPlainly plainly; // blocks are compressed as a whole
        RETURN_IF_ERROR(addPlainTables());
        RETURN_IF_ERROR(addFacts());
        RETURN_IF_ERROR(addOverlays());
        RETURN_IF_ERROR(addPaths());
        RETURN_IF_ERROR(addSeries());
        RETURN_IF_ERROR(addSamples());
        RETURN_IF_ERROR(addBuckets());
        RETURN_IF_ERROR(addSpans());
        m_page.tables = bytesOf({m_tables.begin(), m_tables.end()});
        return std::move(m_page);
    }
    Result<Bytes> served() {
        RETURN_IF_ERROR(addPlainTables());
        RETURN_IF_ERROR(addFacts());
        RETURN_IF_ERROR(addSeries());
        Table& names = add("shelf", {"name"});
        for (const Shelf& shelf : shelves()) {
            names.rows.push_back({std::string(shelf.table)});
            ASSIGN_OR_RETURN(auto columns, rowsOf(m_store, shelf, -1));
            m_tables.push_back(std::move(columns));
        }
        return bytesOf({m_tables.begin(), m_tables.end()});
    }
    Result<Bytes> overlays() {
        std::int64_t spans = 0;
        for (const Run& run : m_runs) {
            ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(run.id));
            for (const Track& track : tracks)
                spans += track.count;
        }
        m_detail.hasPath = spans <= kMostOfGraph;
        RETURN_IF_ERROR(addOverlays());
        RETURN_IF_ERROR(addPaths());
        return bytesOf({m_tables.begin(), m_tables.end()});
    }

private:
    Table& add(std::string name, std::vector<std::string> columns) {
        m_tables.push_back({std::move(name), std::move(columns)});
        return m_tables.back();
    }
    Place place(ByteView bytes) {
        if (m_page.blocks.empty() || m_page.blocks.back().size() + bytes.size() > kBlock)
            m_page.blocks.emplace_back();
        Bytes& block = m_page.blocks.back();
        block.insert(block.end(), bytes.begin(), bytes.end());
        return {m_page.blocks.size() - 1, block.size() - bytes.size(), bytes.size()};
    }
    // The rows of a statement as they are; change(cells) may alter one, or leave it out by false.
    template <typename Change>
    Status copy(const std::string& name, const std::string& sql, Change&& change) {
        Table& table = add(name, {});
        Status failed;
        RETURN_IF_ERROR(m_store.query(
            sql, [&](const auto& names) { table.columns = names; },
            [&](const std::vector<store::SqlValue>& values) {
                Cells cells = cellsOf(values);
                const Result<bool> wanted = change(cells);
                if (!wanted.hasValue())
                    failed = wanted.error();
                else if (wanted.value())
                    table.rows.push_back(std::move(cells));
                return failed.hasValue();
            }));
        return failed;
    }
    Status copy(const std::string& name, const std::string& sql) {
        return copy(name, sql, [](Cells&) -> Result<bool> { return true; });
    }
    static std::int64_t integer(const Cell& cell) {
        const auto* value = std::get_if<std::int64_t>(&cell);
        return value == nullptr ? 0 : *value;
    }
    static ByteView bytes(const Cell& cell) {
        const auto* text = std::get_if<std::string>(&cell);
        return text == nullptr
            ? ByteView()
            : ByteView(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
    }

    Status addPlainTables() {
        const std::string ofRuns = " WHERE run IN (" + m_ids + ")";
        Table& meta = add("meta", {"key", "value"});
        meta.rows.push_back({std::string("uuid"), m_store.uuid()});
        for (const char* table : {"gpu", "iteration"})
            RETURN_IF_ERROR(copy(table, std::string("SELECT * FROM ") + table + ofRuns));
        RETURN_IF_ERROR(copy("track", "SELECT * FROM track" + ofRuns));
        RETURN_IF_ERROR(copy("track_name",
            "SELECT track, name FROM track_name WHERE track IN (SELECT id FROM track" + ofRuns
                + ")"));
        return copy("name",
            "SELECT id, text, '' AS category, '' AS label FROM name WHERE id IN (SELECT name FROM "
            "track_name WHERE track IN (SELECT id FROM track"
                + ofRuns + "))",
            [](Cells& cells) -> Result<bool> {
                const auto& categories = analysis::KernelCategories::builtIn();
                const std::string key(categories.categoryOf(std::get<std::string>(cells[1])));
                cells[2] = key;
                cells[3] = std::string(analysis::KernelCategories::label(key));
                return true;
            });
    }

    // Facts that are computed of the runs, as the timeline shows them.
    Status addFacts() {
        std::vector<plot::ShownRun> shown;
        Table& runs = add("run", {"id", "name", "origin_ns"});
        const bool atOwnTimes = figures::overlapInTime(m_runs);
        const auto earliest = std::ranges::min(m_runs, {}, [](const Run& run) {
            return run.range.begin;
        }).range.begin;
        for (const Run& run : m_runs) {
            shown.push_back({run.id, run.name, atOwnTimes ? earliest : run.range.begin});
            runs.rows.push_back({run.id.value, run.name, shown.back().origin.ns});
        }
        ASSIGN_OR_RETURN(const auto catalogue, figures::readCatalogue(m_store, shown));
        const auto arrangement = figures::defaultArrangement(catalogue);
        for (const auto& lane : arrangement.lanes)
            m_firstMetrics.insert(lane.metric);
        Table& captures = add("capture", {"run", "name", "rank", "begin_ns", "end_ns"});
        Table& phases = add("page_phase", {"run", "name", "begin_ns", "end_ns"});
        Table& limits = add("page_limit", {"run", "rank", "watts"});
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const std::int64_t id = shown[i].id.value;
            for (const Capture& one : catalogue.runs[i].captures)
                captures.rows.push_back(
                    {id, one.name, std::int64_t{one.rank}, one.range.begin.ns, one.range.end.ns});
            for (const NamedPhase& one : catalogue.runs[i].phases)
                phases.rows.push_back({id, one.name, one.range.begin.ns, one.range.end.ns});
            for (const auto& [rank, watts] : catalogue.runs[i].powerLimitsW)
                limits.rows.push_back({id, std::int64_t{rank}, watts});
        }
        Table& marks = add("page_mark", {"run", "begin_ns", "end_ns", "label"});
        for (const auto& mark : m_marks)
            marks.rows.push_back({mark.run, mark.range.begin.ns, mark.range.end.ns, mark.label});
        return {};
    }

    // Computed from all samples: takes as long as a summary.
    Status addOverlays() {
        Table& overlays = add(
            "page_overlay", {"run", "gpus", "from_clocks", "unsettled_begin", "unsettled_end"});
        Table& throttles
            = add("page_throttle", {"run", "rank", "begin_ns", "end_ns", "cause", "lost_s"});
        Table& above = add("page_above", {"run", "begin_ns", "end_ns"});
        Table& iterations = add("page_iteration", {"run", "number", "begin_ns", "end_ns"});
        Table& warmup = add("page_warmup", {"run", "number"});
        for (const Run& run : m_runs) {
            const std::int64_t id = run.id.value;
            ASSIGN_OR_RETURN(const auto found, figures::loadOverlay(m_studies.of(run)));
            overlays.rows.push_back({id, static_cast<std::int64_t>(found.gpus),
                std::int64_t{found.isFromClocks ? 1 : 0},
                found.unsettled ? Cell(found.unsettled->begin.ns) : Cell(),
                found.unsettled ? Cell(found.unsettled->end.ns) : Cell()});
            for (const auto& one : found.throttles)
                throttles.rows.push_back({id, std::int64_t{one.rank}, one.range.begin.ns,
                    one.range.end.ns, std::string(one.cause), one.lostSeconds});
            for (const TimeRange& one : found.aboveLimit)
                above.rows.push_back({id, one.begin.ns, one.end.ns});
            for (const Iteration& one : found.iterations)
                iterations.rows.push_back({id, one.index, one.range.begin.ns, one.range.end.ns});
            for (const std::int64_t number : found.warmup)
                warmup.rows.push_back({id, number});
        }
        return {};
    }

    // The critical paths; a run without traces has none.
    Status addPaths() {
        Table& paths = add("page_path", {"run", "track", "rank", "begin_ns", "end_ns"});
        std::vector<std::string> left;
        for (const Run& run : m_runs) {
            ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(run.id));
            if (tracks.empty())
                continue;
            if (!m_detail.hasPath) {
                left.push_back(run.name);
                continue;
            }
            const auto path = figures::loadPath(m_studies.of(run));
            if (!path.hasValue() && path.error().code == ErrorCode::NotFound)
                continue;
            if (!path.hasValue())
                return path.error();
            if (path.value().size() > kLongestPath) {
                left.push_back(run.name);
                continue;
            }
            for (const plot::PathMark& one : path.value())
                paths.rows.push_back({run.id.value, one.track.value, std::int64_t{one.rank},
                    one.range.begin.ns, one.range.end.ns});
        }
        if (!left.empty())
            m_page.leftOut.push_back(
                fmt::format("The critical path of {}.", fmt::join(left, ", ")));
        return {};
    }

    Status addSeries() {
        std::set<std::string> left;
        RETURN_IF_ERROR(copy("series", "SELECT * FROM series WHERE run IN (" + m_ids + ")",
            [&](Cells& cells) -> Result<bool> {
                const std::string& metric = std::get<std::string>(cells[3]);
                if (m_detail.firstMetricsOnly && !m_firstMetrics.contains(metric)) {
                    left.insert(metric);
                    return false;
                }
                m_series.insert(integer(cells[0]));
                return true;
            }));
        if (!left.empty())
            m_page.leftOut.push_back(fmt::format("Metrics: {}.", fmt::join(left, ", ")));
        return {};
    }

    Status addSamples() {
        std::map<std::pair<std::int64_t, std::int64_t>, Place> times; // by their places before
        return copy("sample_chunk",
            "SELECT series, first_index, count, begin_ns, end_ns, missing, min, max, last, "
            "weighted_sum, weight_ns, values_at, values_size, times_at, times_size, base_at, "
            "base_size FROM sample_chunk WHERE series IN (SELECT id FROM series WHERE run IN ("
                + m_ids + ")) ORDER BY series, first_index",
            [&](Cells& cells) -> Result<bool> {
                if (!m_series.contains(integer(cells[0])))
                    return false;
                store::SampleReader reader(m_database, SeriesId{integer(cells[0])});
                ASSIGN_OR_RETURN(const auto chunk, reader.at(integer(cells[1])));
                if (chunk == nullptr)
                    return m_database.damaged("the index of samples");
                const auto [at, isNew]
                    = times.try_emplace({integer(cells[13]), integer(cells[15])});
                Bytes encoded;
                if (isNew) {
                    store::encodeTimes(chunk->times, encoded);
                    at->second = place(encoded);
                    encoded.clear();
                }
                store::encodeValues(chunk->values, encoded);
                const Place values = place(encoded);
                cells[11] = values.address();
                cells[12] = static_cast<std::int64_t>(values.size);
                cells[13] = at->second.address();
                cells[14] = static_cast<std::int64_t>(at->second.size);
                cells[15] = cells[16] = Cell();
                return true;
            });
    }

    Status addBuckets() {
        return copy("bucket_page",
            "SELECT series, kind, level, first_index, count, data_at, data_size FROM bucket_page "
            "WHERE series IN (SELECT id FROM series WHERE run IN ("
                + m_ids + "))",
            [&](Cells& cells) -> Result<bool> {
                if (!m_series.contains(integer(cells[0])))
                    return false;
                ASSIGN_OR_RETURN(const auto plain,
                    plainBuckets(m_database, {integer(cells[5]), integer(cells[6])}));
                const Place at = place(plain);
                cells[5] = at.address();
                cells[6] = static_cast<std::int64_t>(at.size);
                return true;
            });
    }

    // Spans and the tree above them. At a coarser detail the pages of a level, else those of the
    // track's top, become its chunks.
    Status addSpans() {
        const std::string ofTracks
            = " WHERE track IN (SELECT id FROM track WHERE run IN (" + m_ids + "))";
        std::map<std::int64_t, std::int64_t> levels; // by track that has pages
        RETURN_IF_ERROR(m_store.query(
            "SELECT track, max(level) FROM group_page" + ofTracks + " GROUP BY track",
            [](const auto&) {},
            [&](const std::vector<store::SqlValue>& row) {
                levels[row[0].integer] = std::min<std::int64_t>(m_detail.spanLevel, row[1].integer);
                return true;
            }));
        std::vector<Cells> chunks;
        std::int64_t widest = 0;
        RETURN_IF_ERROR(copy("group_page",
            "SELECT track, level, sequence, begin_ns, width_ns, names, data FROM group_page"
                + ofTracks + " ORDER BY level DESC, track, sequence",
            [&](Cells& cells) -> Result<bool> {
                const std::int64_t above = integer(cells[1]) - levels[integer(cells[0])];
                if (above < 0)
                    return false;
                if (above == 0) {
                    store::LodPage page;
                    if (!store::decodePage(bytes(cells[6]), page))
                        return m_database.damaged("a page of span groups");
                    widest = std::max(widest, integer(cells[4]));
                    chunks.push_back({cells[0], cells[2], cells[3],
                        placeSpans({spansOf(page.open), spansOf(page.own)})});
                    return false;
                }
                ASSIGN_OR_RETURN(const auto groups, plainGroups(m_database, bytes(cells[6])));
                cells[1] = above;
                cells[5] = place(bytes(cells[5]));
                cells[6] = place(groups);
                return true;
            }));
        if (!chunks.empty())
            m_page.leftOut.push_back("Kernels and calls closer to each other than "
                + text::alignedDuration(DurationNs{widest}) + " are merged into groups.");
        RETURN_IF_ERROR(copy("span_chunk",
            "SELECT track, sequence, begin_ns, data FROM span_chunk" + ofTracks
                + " ORDER BY track, sequence",
            [&](Cells& cells) -> Result<bool> {
                const auto level = levels.find(integer(cells[0]));
                if (level != levels.end() && level->second > 0)
                    return false;
                ASSIGN_OR_RETURN(const auto spans, plainSpans(m_database, bytes(cells[3])));
                cells[3] = place(spans);
                return true;
            }));
        std::ranges::move(chunks, std::back_inserter(m_tables.back().rows));
        return {};
    }
    Place placeSpans(const store::SpanChunk& chunk) {
        Bytes encoded;
        store::encodeSpans(chunk.open, chunk.own, encoded);
        return place(encoded);
    }
    static std::vector<Span> spansOf(const std::vector<store::LodRecord>& records) {
        std::vector<Span> spans;
        for (const store::LodRecord& record : records)
            spans.push_back({{record.begin}, {record.end - record.begin}, record.name, record.kind,
                0, {}, record.depth});
        return spans;
    }

    const analysis::RunStudies& m_studies;
    const store::Store& m_store;
    store::Database& m_database;
    const std::vector<Run>& m_runs;
    const std::vector<plot::TimelineMark>& m_marks;
    PageDetail m_detail;
    std::string m_ids;
    std::deque<Table> m_tables;
    PageData m_page;
    std::set<std::string, std::less<>> m_firstMetrics;
    std::set<std::int64_t> m_series; // those that the page has
};

} // namespace

bool makeCoarser(PageDetail& detail) {
    if (std::exchange(detail.hasPath, false))
        return true;
    if (detail.spanLevel + 1 < kMostLevels) {
        ++detail.spanLevel;
        return true;
    }
    return !std::exchange(detail.firstMetricsOnly, true);
}

Result<PageData> pageData(const analysis::RunStudies& studies, const std::vector<Run>& runs,
    const PageDetail& detail, const std::vector<plot::TimelineMark>& marks) {
    return PageBuilder(studies, runs, detail, marks).build();
}

Result<Bytes> servedTables(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    return PageBuilder(studies, runs, {}, {}).served();
}

Result<Bytes> servedOverlays(const analysis::RunStudies& studies, const std::vector<Run>& runs) {
    return PageBuilder(studies, runs, {}, {}).overlays();
}

Result<Bytes> servedPart(const store::Store& store, std::string_view name) {
    const store::StoredPlainly plainly;
    const Error unknown{ErrorCode::NotFound, "A page has no such part.", std::string(name)};
    const std::string_view table = name.substr(0, name.find('.'));
    const auto shelf = std::ranges::find(shelves(), table, &Shelf::table);
    std::vector<std::int64_t> numbers;
    for (std::size_t dot = table.size(); dot < name.size();) {
        const char* const begin = name.data() + dot + 1;
        const auto parsed
            = std::from_chars(begin, name.data() + name.size(), numbers.emplace_back());
        dot = static_cast<std::size_t>(parsed.ptr - name.data());
        if (parsed.ptr == begin || numbers.size() > 3 || (dot < name.size() && name[dot] != '.'))
            return unknown;
    }
    if (shelf == shelves().end() || (numbers.size() != 1 && numbers.size() != 3))
        return unknown;
    return store.connection().call([&](store::Database& database) -> Result<Bytes> {
        if (numbers.size() == 3)
            return bytesOfRow(database, table, numbers[0], numbers[1], numbers[2]);
        ASSIGN_OR_RETURN(const auto rows, rowsOf(store, *shelf, numbers[0]));
        return bytesOf({rows});
    });
}

} // namespace trainscope::web
