#include "core/store/sql/SqlTables.h"

#include "core/model/Import.h"
#include "core/model/Time.h"
#include "core/model/Try.h"
#include "core/store/sql/SampleBlock.h"
#include "core/store/tables/Catalogue.h"

#include <algorithm>
#include <compare>
#include <optional>

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
    std::string_view run; // as the other texts, for as long as the connection
    std::string_view metric;
    std::int64_t rank = -1;
    std::int64_t node = -1;
    std::string_view device;
    double scale = 1.0;
    std::string_view elsewhere; // the engine that has its samples; empty: they are here
};

std::weak_ordering seriesCompared(const SeriesEntry& a, const SeriesEntry& b, int column) {
    switch (column) {
    case kSampleRun:
        return a.run <=> b.run;
    case kMetric:
        return a.metric <=> b.metric;
    case kSampleRank:
        return a.rank <=> b.rank;
    case kNode:
        return a.node <=> b.node;
    case kSampleDevice:
        return a.device <=> b.device;
    case kSeries:
        return a.id.value <=> b.id.value;
    default:
        return std::weak_ordering::equivalent;
    }
}

class SampleRows : public RowSource {
public:
    SampleRows(Database& database, SqlPass& pass)
        : m_database(database)
        , m_pass(pass)
        , m_block(database) { }
    ~SampleRows() override { leaveBlock(); }

    Status start(const Scan& scan) override;
    Status nextBlock() override;
    void column(int index, sqlite3_context* into) override;
    [[nodiscard]] std::int64_t rowId() const override {
        return rowIdOf(m_current->id.value, m_block.index(row()));
    }

private:
    Status readAllSeries();
    Status listSeries(const Scan& scan);
    Status listChunks();
    Status enterChunk(const ChunkRow& chunk);
    void leaveBlock();

    Database& m_database;
    SqlPass& m_pass;
    SampleBlock m_block;
    std::optional<PartIndex<SeriesEntry>> m_all; // of the file, once they were read
    std::vector<const SeriesEntry*> m_series; // of the pass
    std::size_t m_next = 0; // series to be entered
    const SeriesEntry* m_current = nullptr;
    std::vector<ChunkRow> m_chunks; // of the current series, those that may hold what is wanted
    std::size_t m_chunk = 0; // to be entered
    IntegerRange m_times;
    RealRange m_values;
    bool m_wantsTimes = false;
    bool m_wantsValues = false;
    bool m_isDistinct = false; // one row stands for all of a block
};

Status SampleRows::start(const Scan& scan) {
    leaveBlock();
    m_times = integerRangeOf(scan.constraints, kTime);
    m_values = realRangeOf(scan.constraints, kValue);
    m_wantsTimes = scan.uses(kTime);
    m_wantsValues = scan.uses(kValue);
    m_isDistinct = scan.isDistinct && !m_wantsTimes && !m_wantsValues;
    m_next = 0;
    m_chunks.clear();
    m_chunk = 0;
    m_series.clear();
    if (!m_times.isEmpty() && !m_values.isEmpty())
        RETURN_IF_ERROR(listSeries(scan));
    return nextBlock();
}

Status SampleRows::readAllSeries() {
    m_all.emplace();
    return m_database.forEach(
        "SELECT series.id, run.name, metric, rank, node, device, scale, location FROM series JOIN "
        "run ON run.id=series.run LEFT JOIN run_link ON run_link.source=series.source"
        " WHERE count>0 ORDER BY run.name, metric, rank, node, device, series.id",
        [this](const Row& row) {
            SeriesEntry entry{{row.integer(0)}, m_pass.lasting(row.text(1)),
                m_pass.lasting(row.text(2)), row.integer(3), row.integer(4),
                m_pass.lasting(row.text(5)), row.real(6), m_pass.lasting(row.string(7))};
            m_all->add(entry, {{kSampleRank, entry.rank}, {kSeries, entry.id.value}});
        });
}

Status SampleRows::listSeries(const Scan& scan) {
    if (!m_all)
        RETURN_IF_ERROR(readAllSeries());
    std::string_view elsewhere;
    const auto& asked = scan.constraints;
    m_all->visit(asked, [&](const SeriesEntry& entry) {
        const bool isWanted = admits(asked, kSampleRun, entry.run)
            && admits(asked, kMetric, entry.metric) && admits(asked, kSampleRank, entry.rank)
            && admits(asked, kNode, entry.node) && admits(asked, kSampleDevice, entry.device)
            && admits(asked, kSeries, entry.id.value);
        if (isWanted && entry.elsewhere.empty())
            m_series.push_back(&entry);
        else if (isWanted)
            elsewhere = entry.elsewhere;
    });
    if (m_series.empty() && !elsewhere.empty())
        return linkedError(std::string(elsewhere), m_database.shownPath());
    std::stable_sort(
        m_series.begin(), m_series.end(), [&scan](const SeriesEntry* a, const SeriesEntry* b) {
            return comesBefore(*a, *b, scan.order, seriesCompared);
        });
    return {};
}

Status SampleRows::listChunks() {
    m_chunk = 0;
    std::optional<std::int64_t> next; // index behind the last one
    bool hasHole = false;
    RETURN_IF_ERROR(assign(
        m_database.rows(
            "SELECT count, begin_ns, end_ns, missing, min, max, values_at, "
            "values_size, times_at, times_size, base_at, base_size, first_index FROM "
            "sample_chunk WHERE series=? AND begin_ns<? AND end_ns>=? ORDER BY "
            "first_index",
            [&](const Row& row) {
                hasHole = hasHole || (next && *next != row.integer(12));
                next = clampedSum(row.integer(12), row.integer(0));
                return ChunkRow{row.integer(12), row.integer(0), row.integer(1), row.integer(2),
                    row.integer(3), row.real(4), row.real(5), chunkColumns(row, 6)};
            },
            m_current->id.value, m_times.end, m_times.begin),
        m_chunks));
    return hasHole ? Status(m_database.damaged("the index of samples")) : Status();
}

Status SampleRows::enterChunk(const ChunkRow& chunk) {
    RETURN_IF_ERROR(m_block.enter(chunk, m_current->scale, m_times, m_values));
    if (m_block.count() == 0)
        return {};
    if (m_pass.blocks != nullptr || m_isDistinct) {
        if (m_pass.blocks != nullptr)
            m_pass.blocks->enter(&m_block);
        enterBlock(1);
        return {};
    }
    if (m_wantsTimes)
        RETURN_IF_ERROR(m_block.readTimes());
    if (m_wantsValues)
        RETURN_IF_ERROR(m_block.readValues());
    enterBlock(static_cast<std::size_t>(m_block.count()));
    return {};
}

Status SampleRows::nextBlock() {
    leaveBlock();
    while (isAtEnd()) {
        RETURN_IF_ERROR(m_pass.goOn());
        if (m_chunk < m_chunks.size()) {
            RETURN_IF_ERROR(enterChunk(m_chunks[m_chunk++]));
            continue;
        }
        if (m_next >= m_series.size())
            return {};
        m_current = m_series[m_next++];
        RETURN_IF_ERROR(listChunks());
    }
    return {};
}

void SampleRows::leaveBlock() {
    enterBlock(0);
    if (m_pass.blocks != nullptr)
        m_pass.blocks->enter(nullptr);
}

void SampleRows::column(int index, sqlite3_context* into) {
    switch (index) {
    case kSampleRun:
        return putLastingText(into, m_current->run);
    case kMetric:
        return putLastingText(into, m_current->metric);
    case kSampleRank:
        return putInteger(into, m_current->rank);
    case kNode:
        return putInteger(into, m_current->node);
    case kSampleDevice:
        return putLastingText(into, m_current->device);
    case kTime:
        return m_pass.blocks != nullptr ? m_pass.blocks->giveTimes(into)
                                        : putInteger(into, m_block.time(row()));
    case kValue:
        return m_pass.blocks != nullptr ? m_pass.blocks->giveValues(into)
                                        : putReal(into, m_block.value(row()));
    default:
        return putInteger(into, m_current->id.value);
    }
}

} // namespace

std::string_view SqlPass::lasting(std::string_view text) {
    const auto known = texts.find(text);
    return known == texts.end() ? *texts.emplace(text).first : *known;
}

Status SqlPass::goOn() const {
    if (blocks != nullptr && !blocks->isSound())
        return Error{ErrorCode::Usage, "The statement does more than to aggregate.", {}};
    return !proceed || proceed() ? Status() : Status(cancelled());
}

TableDefinition sampleTable(SqlPass& pass) {
    using Type = VirtualColumn::Type;
    static const PartColumns parts{
        {kSampleRun, kMetric, kSampleRank, kNode, kSampleDevice, kSeries}, kSeries, kTime};
    return {"samples", "One row per sample, in SI units",
        {{Type::Text, "run", Narrowing::Equal, "Name of the run"},
            {Type::Text, "metric", Narrowing::Equal, "gpu_power, sm_clock, …"},
            {Type::Integer, "rank", Narrowing::Any, "Global rank of the GPU, -1 of a node"},
            {Type::Integer, "node", Narrowing::Any, "Number of the node, -1 where not known"},
            {Type::Text, "device", Narrowing::Equal, "Link or adapter, else empty"},
            {Type::Integer, "time_ns", Narrowing::Range, "Nanoseconds since the Unix epoch"},
            {Type::Real, "value", Narrowing::Range, "SI, NULL where the sample is missing"},
            {Type::Integer, "series", Narrowing::Any, "series.id"}},
        [](const auto& order) { return isOrderOfParts(order, parts); },
        [&pass](Database& database) { return std::make_unique<SampleRows>(database, pass); }};
}

} // namespace trainscope::store
