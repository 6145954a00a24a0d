#include "core/store/sql/SqlTables.h"

#include "core/store/samples/SampleReader.h"
#include "core/store/samples/WindowFigures.h"
#include "core/store/tables/Catalogue.h"

#include <initializer_list>

namespace trainscope::store {
namespace {

// Columns that say which series; they stand first in both tables.
enum SeriesColumn { kSampleRun, kMetric, kSampleRank, kNode, kSampleDevice, kSeriesColumns };
enum SampleColumn { kTime = kSeriesColumns, kValue, kSeries };
enum StatisticsColumn {
    kCount = kSeriesColumns,
    kMissing,
    kMean,
    kMin,
    kMax,
    kIntegral,
    kSeconds,
    kOfSeries, // the arguments
    kBegin,
    kEnd
};

struct SeriesEntry {
    PartCells cells;
    SeriesId id;
    std::string_view elsewhere; // the engine that has its samples; empty: they are here
};

// Rows that come series by series. idColumn: of series.id.
class SeriesRows : public RowSource {
public:
    SeriesRows(Database& database, SqlPass& pass, int idColumn)
        : m_database(database)
        , m_pass(pass)
        , m_idColumn(idColumn) { }

    void column(int index, sqlite3_context* into) override {
        putCell(into, m_current->cells[static_cast<std::size_t>(index)]);
    }

protected:
    // Lists the series that the constraints leave, in the order that is asked for.
    Status listSeries(const Scan& scan);
    // False behind the last of them.
    bool nextSeries() {
        if (m_next >= m_series.size())
            return false;
        m_current = m_series[m_next++];
        return true;
    }
    void listNone() {
        m_series.clear();
        m_next = 0;
    }
    [[nodiscard]] const SeriesEntry& current() const { return *m_current; }
    [[nodiscard]] Database& database() const { return m_database; }
    [[nodiscard]] Status goOn() const { return m_pass.goOn(); }

private:
    Status readAllSeries();

    Database& m_database;
    SqlPass& m_pass;
    int m_idColumn;
    std::optional<PartIndex<SeriesEntry>> m_all; // all of the file, once they were read
    std::vector<const SeriesEntry*> m_series; // in this pass
    std::size_t m_next = 0; // series to be entered
    const SeriesEntry* m_current = nullptr;
};

Status SeriesRows::readAllSeries() {
    m_all.emplace(std::vector<int>{kSampleRank, m_idColumn});
    return m_database.forEach(
        "SELECT series.id, run.name, metric, rank, node, device, location FROM series JOIN "
        "run ON run.id=series.run LEFT JOIN run_link ON run_link.source=series.source"
        " WHERE count>0 ORDER BY run.name, metric, rank, node, device, series.id",
        [this](const Row& row) {
            SeriesEntry entry{{m_pass.lasting(row.text(1)), m_pass.lasting(row.text(2)),
                                  row.integer(3), row.integer(4), m_pass.lasting(row.text(5))},
                {row.integer(0)}, m_pass.lasting(row.string(6))};
            entry.cells[static_cast<std::size_t>(m_idColumn)] = entry.id.value;
            m_all->add(entry);
        });
}

Status SeriesRows::listSeries(const Scan& scan) {
    listNone();
    if (!m_all)
        RETURN_IF_ERROR(readAllSeries());
    m_series = m_all->select(scan.constraints, scan.order);
    std::string_view elsewhere;
    std::erase_if(m_series, [&elsewhere](const SeriesEntry* entry) {
        elsewhere = entry->elsewhere.empty() ? elsewhere : entry->elsewhere;
        return !entry->elsewhere.empty();
    });
    return m_series.empty() && !elsewhere.empty()
        ? Status(linkedError(std::string(elsewhere), m_database.shownPath()))
        : Status();
}

class SampleRows : public SeriesRows {
public:
    SampleRows(Database& database, SqlPass& pass)
        : SeriesRows(database, pass, kSeries) { }

    Status start(const Scan& scan) override;
    Status nextBlock() override;
    void column(int index, sqlite3_context* into) override;
    [[nodiscard]] std::int64_t rowId() const override {
        return rowIdOf(current().id.value, m_samples->firstIndex + std::int64_t{m_wanted[row()]});
    }

private:
    Status beginSeries();
    Status enterChunk(std::int64_t firstIndex);

    double m_scale = 1.0; // the current series'
    std::optional<SampleReader> m_reader; // reads the current series
    std::vector<std::int64_t> m_chunks; // first indices of those that may hold what is wanted
    std::size_t m_chunk = 0; // to be entered
    const SampleChunk* m_samples = nullptr; // the block's
    std::vector<std::uint32_t> m_wanted; // places in m_samples
    IntegerRange m_times;
    RealRange m_values;
};

Status SampleRows::start(const Scan& scan) {
    enterBlock(0);
    m_times = integerRangeOf(scan.constraints, kTime);
    m_values = realRangeOf(scan.constraints, kValue);
    m_chunks.clear();
    m_chunk = 0;
    listNone();
    if (!m_times.isEmpty() && !m_values.isEmpty())
        RETURN_IF_ERROR(listSeries(scan));
    return nextBlock();
}

Status SampleRows::beginSeries() {
    m_reader.emplace(database(), current().id);
    ASSIGN_OR_RETURN(const auto shape, readShape(database(), current().id));
    m_scale = shape.scale;
    m_chunks.clear();
    m_chunk = 0;
    std::optional<std::int64_t> next; // index behind the last one
    bool hasHole = false;
    RETURN_IF_ERROR(database().forEach(
        "SELECT first_index, count, min, max FROM sample_chunk WHERE series=? AND "
        "begin_ns<? AND end_ns>=? ORDER BY first_index",
        [&](const Row& row) {
            hasHole = hasHole || (next && *next != row.integer(0));
            next = clampedSum(row.integer(0), row.integer(1));
            const auto [low, high] = std::minmax({row.real(2) * m_scale, row.real(3) * m_scale});
            if (!(m_values.isAsked && (high < m_values.low || low > m_values.high)))
                m_chunks.push_back(row.integer(0));
        },
        current().id.value, m_times.end, m_times.begin));
    return hasHole ? Status(database().damaged("the index of samples")) : Status();
}

Status SampleRows::enterChunk(std::int64_t firstIndex) {
    ASSIGN_OR_RETURN(m_samples, m_reader->at(firstIndex));
    if (m_samples == nullptr)
        return database().damaged("the index of samples");
    m_wanted.clear();
    for (std::size_t i = 0; i < m_samples->times.size(); ++i) {
        if (m_times.contains(m_samples->times[i])
            && (!m_values.isAsked || m_values.contains(m_samples->values[i] * m_scale)))
            m_wanted.push_back(static_cast<std::uint32_t>(i));
    }
    enterBlock(m_wanted.size());
    return {};
}

Status SampleRows::nextBlock() {
    enterBlock(0);
    while (isAtEnd()) {
        RETURN_IF_ERROR(goOn());
        if (m_chunk < m_chunks.size())
            RETURN_IF_ERROR(enterChunk(m_chunks[m_chunk++]));
        else if (nextSeries())
            RETURN_IF_ERROR(beginSeries());
        else
            return {};
    }
    return {};
}

void SampleRows::column(int index, sqlite3_context* into) {
    if (index == kTime)
        putInteger(into, m_samples->times[m_wanted[row()]]);
    else if (index == kValue)
        putReal(into, m_samples->values[m_wanted[row()]] * m_scale);
    else
        SeriesRows::column(index, into);
}

// A row a series, over the window that the arguments say.
class StatisticsRows : public SeriesRows {
public:
    StatisticsRows(Database& database, SqlPass& pass)
        : SeriesRows(database, pass, kOfSeries) { }

    Status start(const Scan& scan) override {
        m_window = {{numberAsked(scan.constraints, kBegin).value_or(kAllTime.begin.ns)},
            {numberAsked(scan.constraints, kEnd).value_or(kAllTime.end.ns)}};
        RETURN_IF_ERROR(listSeries(scan));
        return nextBlock();
    }
    Status nextBlock() override {
        enterBlock(0);
        if (!nextSeries())
            return {};
        RETURN_IF_ERROR(goOn());
        ASSIGN_OR_RETURN(const auto shape, readShape(database(), current().id));
        ASSIGN_OR_RETURN(const auto found, queryStatistics(database(), shape, m_window));
        m_cells = current().cells;
        const std::initializer_list<std::pair<StatisticsColumn, SqlCell>> own{{kCount, found.count},
            {kMissing, found.missing}, {kMean, found.mean}, {kMin, found.min}, {kMax, found.max},
            {kIntegral, found.integral}, {kSeconds, found.coveredSeconds},
            {kBegin, m_window.begin.ns}, {kEnd, m_window.end.ns}};
        for (const auto& [column, cell] : own)
            m_cells[column] = cell;
        enterBlock(1);
        return {};
    }
    [[nodiscard]] std::int64_t rowId() const override { return current().id.value; }
    void column(int index, sqlite3_context* into) override {
        putCell(into, m_cells[static_cast<std::size_t>(index)]);
    }

private:
    TimeRange m_window;
    PartCells m_cells; // the row's
};

} // namespace

std::string_view SqlPass::lasting(std::string_view text) {
    const auto known = texts.find(text);
    return known == texts.end() ? *texts.emplace(text).first : *known;
}

Status SqlPass::goOn() const {
    return !proceed || proceed() ? Status() : Status(cancelled());
}

TableDefinition sampleTable(SqlPass& pass) {
    using Type = VirtualColumn::Type;
    static const PartColumns parts{
        {kSampleRun, kMetric, kSampleRank, kNode, kSampleDevice, kSeries}, kSeries, kTime};
    return {"samples", "One row per sample, in SI units",
        {{Type::Text, "run", Narrowing::Equal, "Name of the run"},
            {Type::Text, "metric", Narrowing::Equal, "gpu_power, sm_clock, …"},
            {Type::Integer, "rank", Narrowing::Equal, "Global rank of the GPU, -1 of a node"},
            {Type::Integer, "node", Narrowing::Equal, "Number of the node, -1 where not known"},
            {Type::Text, "device", Narrowing::Equal, "Link or adapter, else empty"},
            {Type::Integer, "time_ns", Narrowing::Range, "Nanoseconds since the Unix epoch"},
            {Type::Real, "value", Narrowing::Range, "SI, NULL where the sample is missing"},
            {Type::Integer, "series", Narrowing::Equal, "series.id"}},
        [](const auto& order) { return isOrderOfParts(order, parts); },
        [&pass](Database& database) { return std::make_unique<SampleRows>(database, pass); }};
}

TableDefinition statisticsTable(SqlPass& pass) {
    using Type = VirtualColumn::Type;
    static const PartColumns parts{
        {kSampleRun, kMetric, kSampleRank, kNode, kSampleDevice, kOfSeries}, kOfSeries, kBegin};
    return {"sample_statistics",
        "One row per series, of all samples or of a window: sample_statistics(series, begin_ns, "
        "end_ns)",
        {{Type::Text, "run", Narrowing::Equal, "Name of the run"},
            {Type::Text, "metric", Narrowing::Equal, "gpu_power, sm_clock, …"},
            {Type::Integer, "rank", Narrowing::Equal, "Global rank of the GPU, -1 of a node"},
            {Type::Integer, "node", Narrowing::Equal, "Number of the node, -1 where not known"},
            {Type::Text, "device", Narrowing::Equal, "Link or adapter, else empty"},
            {Type::Integer, "count", Narrowing::None, "Samples, the missing ones included"},
            {Type::Integer, "missing", Narrowing::None, "Samples without a value"},
            {Type::Real, "mean", Narrowing::None, "SI, weighted by time"},
            {Type::Real, "min", Narrowing::None, "SI"}, {Type::Real, "max", Narrowing::None, "SI"},
            {Type::Real, "integral", Narrowing::None, "SI times seconds: joules of a power"},
            {Type::Real, "seconds", Narrowing::None, "Time that has a value"},
            {Type::Integer, "series", Narrowing::Equal, "series.id", true},
            {Type::Integer, "begin_ns", Narrowing::Hint, "Begin of the window", true},
            {Type::Integer, "end_ns", Narrowing::Hint, "End of the window", true}},
        [](const auto& order) { return isOrderOfParts(order, parts); },
        [&pass](Database& database) { return std::make_unique<StatisticsRows>(database, pass); }};
}

} // namespace trainscope::store
