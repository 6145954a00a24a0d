#include "core/store/sql/VirtualTable.h"

#include "core/model/Try.h"
#include "core/store/samples/SampleReader.h"

#include <limits>

namespace trainscope::store {
namespace {

enum SampleColumn {
    kSampleRun,
    kMetric,
    kSampleRank,
    kNode,
    kSampleDevice,
    kTime,
    kValue,
    kSeries
};

struct SeriesEntry {
    SeriesId id;
    std::string run;
    std::string metric;
    std::int64_t rank = -1;
    std::int64_t node = -1;
    std::string device;
    double scale = 1.0;
};

class SampleRows : public RowSource {
public:
    explicit SampleRows(Database& database)
        : m_database(database) { }
    Status start(const std::vector<Constraint>& constraints) override;
    Status next() override;
    [[nodiscard]] bool atEnd() const override { return m_current >= m_series.size(); }
    Status column(int index, sqlite3_context* into) override;

private:
    Status enterSeries();
    Status settle();

    Database& m_database;
    std::vector<SeriesEntry> m_series;
    std::size_t m_current = 0;
    std::unique_ptr<SampleReader> m_reader;
    const SampleChunk* m_chunk = nullptr;
    std::int64_t m_index = 0; // of the sample in its series
    IntegerRange m_time{};
};

Status SampleRows::start(const std::vector<Constraint>& constraints) {
    m_series.clear();
    m_current = 0;
    m_time = rangeOf(constraints, kTime);
    RETURN_IF_ERROR(m_database.forEach(
        "SELECT series.id, run.name, metric, rank, node, device, scale FROM series JOIN run ON "
        "run.id=series.run"
        " WHERE count>0 ORDER BY run.name, metric, rank, node, device, series.id",
        [&](const Row& row) {
            SeriesEntry entry{{row.integer(0)}, row.string(1), row.string(2), row.integer(3),
                row.integer(4), row.string(5), row.real(6)};
            const bool wanted = admits(constraints, kSampleRun, entry.run)
                && admits(constraints, kMetric, entry.metric)
                && admits(constraints, kSampleRank, entry.rank)
                && admits(constraints, kNode, entry.node)
                && admits(constraints, kSampleDevice, entry.device)
                && admits(constraints, kSeries, entry.id.value);
            if (wanted)
                m_series.push_back(std::move(entry));
        }));
    if (atEnd())
        return {};
    RETURN_IF_ERROR(enterSeries());
    return settle();
}

Status SampleRows::enterSeries() {
    m_reader = std::make_unique<SampleReader>(m_database, m_series[m_current].id);
    m_chunk = nullptr;
    m_index = 0;
    if (m_time.begin == std::numeric_limits<std::int64_t>::min())
        return {};
    return assign(m_reader->lowerBound(m_time.begin), m_index);
}

// Moves on until m_index is a sample within the time range, or all series are done.
Status SampleRows::settle() {
    while (!atEnd()) {
        ASSIGN_OR_RETURN(const auto chunk, m_reader->at(m_index));
        m_chunk = chunk;
        if (m_chunk != nullptr
            && m_chunk->times[static_cast<std::size_t>(m_index - m_chunk->firstIndex)] < m_time.end)
            return {};
        ++m_current;
        if (atEnd())
            return {};
        RETURN_IF_ERROR(enterSeries());
    }
    return {};
}

Status SampleRows::next() {
    ++m_index;
    const auto i = static_cast<std::size_t>(m_index - m_chunk->firstIndex);
    if (i < m_chunk->times.size() && m_chunk->times[i] < m_time.end)
        return {};
    return settle();
}

Status SampleRows::column(int index, sqlite3_context* into) {
    const SeriesEntry& series = m_series[m_current];
    const auto i = static_cast<std::size_t>(m_index - m_chunk->firstIndex);
    switch (index) {
    case kSampleRun:
        return putText(into, series.run);
    case kMetric:
        return putText(into, series.metric);
    case kSampleRank:
        return putInteger(into, series.rank);
    case kNode:
        return putInteger(into, series.node);
    case kSampleDevice:
        return putText(into, series.device);
    case kTime:
        return putInteger(into, m_chunk->times[i]);
    case kValue:
        return putReal(into, m_chunk->values[i] * series.scale);
    default:
        return putInteger(into, series.id.value);
    }
}

} // namespace

TableDefinition sampleTable() {
    return {"samples",
        "CREATE TABLE x(run TEXT, metric TEXT, rank INTEGER, node INTEGER, device TEXT, time_ns "
        "INTEGER,"
        " value REAL, series INTEGER)",
        {kSampleRun, kMetric, kSampleRank, kNode, kSampleDevice, kSeries}, {kTime},
        [](Database& database) { return std::make_unique<SampleRows>(database); }};
}

} // namespace trainscope::store
