#include "core/store/samples/SeriesPyramid.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/store/codec/IntColumn.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleReader.h"

#include <algorithm>

namespace trainscope::store {
namespace {

// A chunk on its way through a job: its bytes go in, its nodes of level 1 come out.
struct ChunkWork {
    ChunkBytes bytes;
    std::int64_t count = 0;
    std::int64_t next = 0; // first sample behind
};
struct ChunkLeaves {
    bool decoded = false;
    std::vector<NodeSums> leaves;
};

ChunkLeaves leavesOf(const ChunkWork& work, std::int64_t holeNs) {
    ChunkLeaves out;
    std::vector<std::int64_t> times(static_cast<std::size_t>(work.count));
    std::vector<double> values(times.size());
    out.decoded = decodeChunk(work.bytes, times, values);
    if (out.decoded)
        appendLeaves(times, values, work.next, holeNs, out.leaves);
    return out;
}

// The nodes of level 1 of a counter's rates, of samples [from, from + kBlockSamples) as far as
// there are any.
Result<std::vector<NodeSums>> rateLeaves(
    SampleReader& reader, const SeriesShape& series, std::int64_t from) {
    // One more: the rate behind says how long the last one holds, else the last sample.
    ASSIGN_OR_RETURN(const auto rates, readRates(reader, series, from, from + kBlockSamples + 1));
    std::vector<std::int64_t> times;
    std::vector<double> values;
    for (const RateSample& rate : rates) {
        times.push_back(rate.time);
        values.push_back(rate.rate);
    }
    std::vector<NodeSums> leaves;
    if (times.empty())
        return leaves;
    const std::size_t count = std::min<std::size_t>(times.size(), kBlockSamples);
    std::int64_t next = times.back();
    if (count == times.size()) {
        ASSIGN_OR_RETURN(const auto last, reader.sample(series.count - 1));
        next = last.time.ns;
    }
    appendLeaves(std::span(times).first(count), std::span(values).first(count), next,
        series.holeNs(), leaves);
    return leaves;
}

// Writes the pages of a series' pyramid.
class PageRows {
public:
    PageRows(Database& database, DataWriter& data, const SeriesShape& series, Squeeze squeeze)
        : m_database(database)
        , m_data(data)
        , m_series(series)
        , m_squeeze(squeeze) { }

    Status add(
        PyramidKind kind, int level, std::int64_t firstIndex, std::span<const NodeSums> nodes) {
        m_page.clear();
        encodeNodes(nodes, m_series.periodNs, m_page, m_squeeze);
        ASSIGN_OR_RETURN(const auto place, m_data.append(m_page));
        return m_database.execute("INSERT INTO bucket_page(series, kind, level, first_index, "
                                  "count, data_at, data_size) VALUES(?,?,?,?,?,?,?)",
            m_series.id.value, static_cast<int>(kind), level, firstIndex,
            static_cast<std::int64_t>(nodes.size()), place.at, place.size);
    }

private:
    Database& m_database;
    DataWriter& m_data;
    SeriesShape m_series;
    Squeeze m_squeeze;
    Bytes m_page;
};

class PyramidPass {
public:
    PyramidPass(Database& database, DataWriter& data, const SeriesShape& series,
        const IndexProceed& proceed, Squeeze squeeze)
        : m_database(database)
        , m_pages(database, data, series, squeeze)
        , m_series(series)
        , m_proceed(proceed)
        , m_values(levelsFor(series.count), sink(PyramidKind::Value))
        , m_rates(isCounter() ? levelsFor(series.count) : 0, sink(PyramidKind::Rate))
        , m_jobs(WorkerPool::shared(), 0, [this](ChunkLeaves&& leaves) { take(leaves); }) { }

    Status run() {
        RETURN_IF_ERROR(m_database.forEach(
            "SELECT begin_ns, end_ns, count, values_at, values_size, times_at, times_size, base_at,"
            " base_size FROM sample_chunk WHERE series=? ORDER BY first_index",
            [this](const Row& row) { return submitBefore(row); }, m_series.id.value));
        RETURN_IF_ERROR(submit(m_end));
        m_jobs.finish();
        RETURN_IF_ERROR(m_failure);
        RETURN_IF_ERROR(m_values.finish());
        return isCounter() ? addRates() : Status();
    }

private:
    [[nodiscard]] bool isCounter() const { return m_series.counterBits > 0; }

    Status addRates() {
        SampleReader reader(m_database, m_series.id);
        for (std::int64_t from = 0; from < m_series.count; from += kBlockSamples) {
            if (!m_proceed(m_done, static_cast<std::uint64_t>(m_series.count)))
                return cancelled();
            ASSIGN_OR_RETURN(const auto leaves, rateLeaves(reader, m_series, from));
            RETURN_IF_ERROR(m_rates.add(leaves));
        }
        return m_rates.finish();
    }

    PyramidBuilder::PageSink sink(PyramidKind kind) {
        return [this, kind](int level, std::int64_t first, std::span<const NodeSums> nodes) {
            return m_pages.add(kind, level, first, nodes);
        };
    }

    // A chunk can be worked on when the begin of the one behind is known.
    Status submitBefore(const Row& row) {
        RETURN_IF_ERROR(submit(row.integer(0)));
        m_end = row.integer(1);
        m_waiting.count = row.integer(2);
        if (m_waiting.count <= 0 || m_waiting.count > static_cast<std::int64_t>(kMaxColumn))
            return m_database.damaged("a chunk of samples");
        return readChunk(m_database, chunkColumns(row, 3), m_waiting.bytes);
    }

    Status submit(std::int64_t next) {
        if (m_waiting.count == 0)
            return {};
        m_waiting.next = next;
        m_done += static_cast<std::uint64_t>(m_waiting.count);
        m_jobs.submit([work = std::move(m_waiting), hole = m_series.holeNs()] {
            return leavesOf(work, hole);
        });
        m_waiting = {};
        if (!m_proceed(m_done, static_cast<std::uint64_t>(m_series.count)))
            return cancelled();
        return m_failure;
    }

    void take(const ChunkLeaves& chunk) {
        if (!m_failure.hasValue())
            return;
        if (!chunk.decoded) {
            m_failure = m_database.damaged("a chunk of samples");
            return;
        }
        m_failure = m_values.add(chunk.leaves);
    }

    Database& m_database;
    PageRows m_pages;
    SeriesShape m_series;
    const IndexProceed& m_proceed;
    PyramidBuilder m_values;
    PyramidBuilder m_rates;
    ChunkWork m_waiting;
    std::int64_t m_end = 0; // last sample of the waiting chunk
    std::uint64_t m_done = 0;
    Status m_failure;
    OrderedJobs<ChunkLeaves> m_jobs;
};

// Levels whose nodes a block holds whole.
constexpr int kBlockLevels = 5;
static_assert(kLeafSamples * kFanout * kFanout * kFanout * kFanout == kBlockSamples);

Status addBlock(PageRows& pages, PyramidKind kind, std::int64_t firstSample,
    const std::vector<NodeSums>& leaves) {
    PyramidBuilder pyramid(
        kBlockLevels, [&](int level, std::int64_t first, std::span<const NodeSums> nodes) {
            return pages.add(kind, level, firstSample / samplesPerNode(level) + first, nodes);
        });
    RETURN_IF_ERROR(pyramid.add(leaves));
    return pyramid.finish();
}

} // namespace

Status indexBlock(
    Database& database, DataWriter& data, const SeriesShape& series, std::int64_t firstSample) {
    PageRows pages(database, data, series, Squeeze::IfMuchSmaller);
    SampleReader reader(database, series.id);
    const std::int64_t behind = firstSample + kBlockSamples;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    RETURN_IF_ERROR(reader.forEach(firstSample, behind + 1, [&](auto someTimes, auto someValues) {
        times.insert(times.end(), someTimes.begin(), someTimes.end());
        values.insert(values.end(), someValues.begin(), someValues.end());
        return true;
    }));
    if (std::cmp_not_equal(times.size(), kBlockSamples + 1))
        return database.damaged("a chunk of samples");
    constexpr auto count = static_cast<std::size_t>(kBlockSamples);
    std::vector<NodeSums> leaves;
    appendLeaves(std::span(times).first(count), std::span(values).first(count), times.back(),
        series.holeNs(), leaves);
    RETURN_IF_ERROR(addBlock(pages, PyramidKind::Value, firstSample, leaves));
    if (series.counterBits <= 0)
        return {};
    RETURN_IF_ERROR(assign(rateLeaves(reader, series, firstSample), leaves));
    // Samples behind them may not settle all of them yet.
    if (std::cmp_not_equal(leaves.size(), kBlockSamples / kLeafSamples)
        || leaves.back().next != times.back())
        return {};
    return addBlock(pages, PyramidKind::Rate, firstSample, leaves);
}

Status indexSeries(Database& database, DataWriter& data, const SeriesShape& series,
    const IndexProceed& proceed, Squeeze squeeze) {
    return levelsFor(series.count) > 0 ? PyramidPass(database, data, series, proceed, squeeze).run()
                                       : Status();
}

} // namespace trainscope::store
