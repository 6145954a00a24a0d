#include "core/store/samples/SeriesPyramid.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/parallel/OrderedJobs.h"
#include "core/store/codec/IntColumn.h"
#include "core/store/samples/CounterRate.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleReader.h"

#include <algorithm>

namespace trainscope::store {
namespace {

constexpr std::size_t kRateBlock = 4096; // rates that are turned into nodes at once

// A chunk on its way through a job: its bytes go in, its nodes of level 1 come out.
struct ChunkWork {
    ChunkBytes bytes;
    std::int64_t count = 0;
    std::int64_t next = 0; // first sample behind
};
struct ChunkLeaves {
    bool decoded = false;
    std::vector<NodeSums> leaves;
    // The samples of a counter, for its rate.
    std::vector<std::int64_t> times;
    std::vector<double> values;
};

ChunkLeaves leavesOf(const ChunkWork& work, std::int64_t holeNs, bool keepSamples) {
    ChunkLeaves out;
    out.times.resize(static_cast<std::size_t>(work.count));
    out.values.resize(static_cast<std::size_t>(work.count));
    out.decoded = decodeChunk(work.bytes, out.times, out.values);
    if (!out.decoded)
        return out;
    appendLeaves(out.times, out.values, work.next, holeNs, out.leaves);
    if (!keepSamples) {
        out.times = {};
        out.values = {};
    }
    return out;
}

// The rate of a counter, collected into nodes.
class RateLeaves {
public:
    RateLeaves(const SeriesShape& series, PyramidBuilder& pyramid)
        : m_rate(series.counterRule())
        , m_scale(series.scale)
        , m_holeNs(series.holeNs())
        , m_pyramid(pyramid) { }

    Status add(std::span<const std::int64_t> times, std::span<const double> values) {
        m_settled.clear();
        for (std::size_t i = 0; i < times.size(); ++i)
            m_rate.push(times[i], values[i] * m_scale, m_settled);
        for (const RateSample& sample : m_settled) {
            m_times.push_back(sample.time);
            m_rates.push_back(sample.rate);
        }
        m_lastTime = times.back();
        // A node ends where the rate behind it begins.
        return m_times.size() > kRateBlock
            ? flush((m_times.size() - 1) / kLeafSamples * kLeafSamples)
            : Status();
    }

    // The last rate holds until the last sample, which has none.
    Status finish() { return m_times.empty() ? Status() : flush(m_times.size()); }

private:
    Status flush(std::size_t count) {
        const std::int64_t next = count < m_times.size() ? m_times[count] : m_lastTime;
        m_leaves.clear();
        appendLeaves(std::span(m_times).first(count), std::span(m_rates).first(count), next,
            m_holeNs, m_leaves);
        const auto done = static_cast<std::ptrdiff_t>(count);
        m_times.erase(m_times.begin(), m_times.begin() + done);
        m_rates.erase(m_rates.begin(), m_rates.begin() + done);
        return m_pyramid.add(m_leaves);
    }

    CounterRate m_rate;
    double m_scale;
    std::int64_t m_holeNs;
    PyramidBuilder& m_pyramid;
    std::vector<RateSample> m_settled;
    std::vector<std::int64_t> m_times;
    std::vector<double> m_rates;
    std::vector<NodeSums> m_leaves;
    std::int64_t m_lastTime = 0;
};

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
        , m_rateLeaves(series, m_rates)
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
        RETURN_IF_ERROR(m_rateLeaves.finish());
        return m_rates.finish();
    }

private:
    [[nodiscard]] bool isCounter() const { return m_series.counterBits > 0; }

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
        m_jobs.submit([work = std::move(m_waiting), hole = m_series.holeNs(),
                          counter = isCounter()] { return leavesOf(work, hole, counter); });
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
        if (m_failure.hasValue() && isCounter())
            m_failure = m_rateLeaves.add(chunk.times, chunk.values);
    }

    Database& m_database;
    PageRows m_pages;
    SeriesShape m_series;
    const IndexProceed& m_proceed;
    PyramidBuilder m_values;
    PyramidBuilder m_rates;
    RateLeaves m_rateLeaves;
    ChunkWork m_waiting;
    std::int64_t m_end = 0; // last sample of the waiting chunk
    std::uint64_t m_done = 0;
    Status m_failure;
    OrderedJobs<ChunkLeaves> m_jobs;
};

// The samples of a block, and the first behind it.
struct TimedValues {
    std::vector<std::int64_t> times;
    std::vector<double> values;

    void appendLeaves(std::int64_t holeNs, std::vector<NodeSums>& leaves) const {
        const std::size_t count = times.size() - 1;
        store::appendLeaves(std::span(times).first(count), std::span(values).first(count),
            times.back(), holeNs, leaves);
    }
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
    TimedValues block;
    RETURN_IF_ERROR(reader.forEach(firstSample, behind + 1, [&block](auto times, auto values) {
        block.times.insert(block.times.end(), times.begin(), times.end());
        block.values.insert(block.values.end(), values.begin(), values.end());
        return true;
    }));
    if (std::cmp_not_equal(block.times.size(), kBlockSamples + 1))
        return database.damaged("a chunk of samples");
    std::vector<NodeSums> leaves;
    block.appendLeaves(series.holeNs(), leaves);
    RETURN_IF_ERROR(addBlock(pages, PyramidKind::Value, firstSample, leaves));
    if (series.counterBits <= 0)
        return {};
    ASSIGN_OR_RETURN(const auto rates, readRates(reader, series, firstSample, behind + 1));
    block = {};
    for (const RateSample& rate : rates) {
        block.times.push_back(rate.time);
        block.values.push_back(rate.rate);
    }
    if (std::cmp_not_equal(block.times.size(), kBlockSamples + 1))
        return {};
    leaves.clear();
    block.appendLeaves(series.holeNs(), leaves);
    return addBlock(pages, PyramidKind::Rate, firstSample, leaves);
}

Status indexSeries(Database& database, DataWriter& data, const SeriesShape& series,
    const IndexProceed& proceed, Squeeze squeeze) {
    return levelsFor(series.count) > 0 ? PyramidPass(database, data, series, proceed, squeeze).run()
                                       : Status();
}

} // namespace trainscope::store
