#include "core/store/samples/SeriesPyramid.h"

#include "core/model/Import.h"
#include "core/model/Try.h"
#include "core/store/codec/IntColumn.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleReader.h"

#include <algorithm>

namespace trainscope::store {
namespace {

// Samples or rates of a block, and the first behind them, which says how long the last one holds.
struct BlockSamples {
    std::vector<std::int64_t> times;
    std::vector<double> values;

    void add(std::int64_t time, double value) {
        times.push_back(time);
        values.push_back(value);
    }
};

Result<BlockSamples> blockOf(
    SampleReader& reader, const SeriesShape& series, PyramidKind kind, std::int64_t from) {
    const std::int64_t to = std::min(from + kBlockSamples + 1, series.count);
    BlockSamples block;
    if (kind == PyramidKind::Rate) {
        ASSIGN_OR_RETURN(const auto rates, readRates(reader, series, from, to));
        for (const RateSample& rate : rates)
            block.add(rate.time, rate.rate);
        return block;
    }
    RETURN_IF_ERROR(reader.forEach(from, to, [&block](auto times, auto values) {
        for (std::size_t i = 0; i < times.size(); ++i)
            block.add(times[i], values[i]);
        return true;
    }));
    return block;
}

// The nodes of level 1 of samples [from, from + kBlockSamples), as far as there are any, or of
// their rates.
Result<std::vector<NodeSums>> leavesOf(
    SampleReader& reader, const SeriesShape& series, PyramidKind kind, std::int64_t from) {
    ASSIGN_OR_RETURN(const auto block, blockOf(reader, series, kind, from));
    std::vector<NodeSums> leaves;
    if (block.times.empty())
        return leaves;
    const std::size_t count = std::min<std::size_t>(block.times.size(), kBlockSamples);
    std::int64_t next = block.times.back();
    if (count == block.times.size()) {
        ASSIGN_OR_RETURN(const auto last, reader.sample(series.count - 1));
        next = last.time.ns;
    }
    appendLeaves(std::span(block.times).first(count), std::span(block.values).first(count), next,
        series.holeNs(), leaves);
    return leaves;
}

// Writes the pages of a series' pyramids.
class PageRows {
public:
    PageRows(Database& database, DataWriter& data, const SeriesShape& series, Squeeze squeeze)
        : m_database(database)
        , m_data(data)
        , m_series(series)
        , m_squeeze(squeeze) { }

    // For pages from that sample on.
    PyramidBuilder::PageSink sink(PyramidKind kind, std::int64_t firstSample) {
        return [this, kind, firstSample](
                   int level, std::int64_t first, std::span<const NodeSums> nodes) {
            return add(kind, level, firstSample / samplesPerNode(level) + first, nodes);
        };
    }

private:
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

    Database& m_database;
    DataWriter& m_data;
    SeriesShape m_series;
    Squeeze m_squeeze;
    Bytes m_page;
};

std::vector<PyramidKind> kindsOf(const SeriesShape& series) {
    return series.counterBits > 0 ? std::vector{PyramidKind::Value, PyramidKind::Rate}
                                  : std::vector{PyramidKind::Value};
}

// Levels whose nodes a block holds whole.
constexpr int kBlockLevels = 5;
static_assert(kLeafSamples * kFanout * kFanout * kFanout * kFanout == kBlockSamples);

} // namespace

Status indexBlock(
    Database& database, DataWriter& data, const SeriesShape& series, std::int64_t firstSample) {
    PageRows pages(database, data, series, Squeeze::IfMuchSmaller);
    SampleReader reader(database, series.id);
    ASSIGN_OR_RETURN(const auto behind, reader.sample(firstSample + kBlockSamples));
    for (const PyramidKind kind : kindsOf(series)) {
        ASSIGN_OR_RETURN(const auto leaves, leavesOf(reader, series, kind, firstSample));
        // Samples behind them may not settle all rates yet.
        if (leaves.size() < kBlockSamples / kLeafSamples || leaves.back().next != behind.time.ns)
            continue;
        PyramidBuilder pyramid(kBlockLevels, pages.sink(kind, firstSample));
        RETURN_IF_ERROR(pyramid.add(leaves));
        RETURN_IF_ERROR(pyramid.finish());
    }
    return {};
}

Status indexSeries(Database& database, DataWriter& data, const SeriesShape& series,
    const IndexProceed& proceed, Squeeze squeeze) {
    const int levels = levelsFor(series.count);
    PageRows pages(database, data, series, squeeze);
    SampleReader reader(database, series.id);
    for (const PyramidKind kind : kindsOf(series)) {
        PyramidBuilder pyramid(levels, pages.sink(kind, 0));
        for (std::int64_t from = 0; levels > 0 && from < series.count; from += kBlockSamples) {
            if (!proceed(
                    static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(series.count)))
                return cancelled();
            ASSIGN_OR_RETURN(const auto leaves, leavesOf(reader, series, kind, from));
            RETURN_IF_ERROR(pyramid.add(leaves));
        }
        RETURN_IF_ERROR(pyramid.finish());
    }
    return {};
}

} // namespace trainscope::store
