#include "core/store/SeriesIndex.h"

#include "core/store/BucketNode.h"
#include "core/store/CounterRate.h"
#include "core/store/PyramidBuilder.h"
#include "core/store/SampleReader.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trainscope::store {
namespace {

// Feeds the samples of a series into its pyramids.
class PyramidPass {
public:
    PyramidPass(Database& database, const SeriesShape& series)
        : m_database(database)
        , m_series(series)
        , m_values(levelsFor(series.count), series.holeNs(), sink(PyramidKind::Value))
        , m_rates(series.counterBits > 0 ? levelsFor(series.count) : 0, series.holeNs(),
              sink(PyramidKind::Rate))
        , m_rate(series.counterBits, series.scale) { }

    Status run() {
        SampleReader reader(m_database, m_series.id);
        Status status;
        Status read = reader.forEach(0, m_series.count, [&](auto times, auto values) {
            status = add(times, values);
            return status.hasValue();
        });
        if (!read.hasValue() || !status.hasValue())
            return read.hasValue() ? status : read;
        status = m_values.finish();
        // The last rate holds until the last sample, which has none.
        return status.hasValue() ? m_rates.finish(m_lastTime) : status;
    }

private:
    PyramidBuilder::PageSink sink(PyramidKind kind) {
        return [this, kind](int level, std::int64_t first, const std::vector<BucketNode>& nodes) {
            Bytes data;
            encodeNodes(nodes, level, data);
            return m_database.execute(
                "INSERT INTO bucket_page(series, kind, level, first_index, count, data)"
                " VALUES(?,?,?,?,?,?)",
                m_series.id.value, static_cast<int>(kind), level, first,
                static_cast<std::int64_t>(nodes.size()), data);
        };
    }

    Status add(std::span<const std::int64_t> times, std::span<const double> values) {
        const bool counter = m_series.counterBits > 0;
        Status status;
        m_settled.clear();
        for (std::size_t i = 0; i < times.size() && status.hasValue(); ++i) {
            status = m_values.add(times[i], values[i] * m_series.scale);
            if (counter)
                m_rate.push(times[i], values[i], m_settled);
        }
        for (std::size_t i = 0; i < m_settled.size() && status.hasValue(); ++i)
            status = m_rates.add(m_settled[i].time, m_settled[i].rate);
        m_lastTime = times.back();
        return status;
    }

    Database& m_database;
    SeriesShape m_series;
    PyramidBuilder m_values;
    PyramidBuilder m_rates;
    CounterRate m_rate;
    std::vector<RateSample> m_settled;
    std::int64_t m_lastTime = 0;
};

// Figures of the whole series from those of its chunks; source numbers.
struct SeriesSums {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t count = 0;
    std::int64_t missing = 0;
    double weighted = 0.0; // Σ value·ns
    double weight = 0.0; // ns
    double held = 0.0; // last sample of the chunk before, NaN when missing
    std::optional<double> min;
    std::optional<double> max;

    void add(const Row& chunk) {
        if (count == 0) {
            begin = chunk.integer(1);
        } else if (!std::isnan(held)) {
            // The interval between two chunks is in the figures of neither.
            const auto between = static_cast<double>(chunk.integer(1) - end);
            weighted += held * between;
            weight += between;
        }
        count += chunk.integer(0);
        end = chunk.integer(2);
        missing += chunk.integer(3);
        if (!chunk.isNull(4)) {
            min = min ? std::min(*min, chunk.real(4)) : chunk.real(4);
            max = max ? std::max(*max, chunk.real(5)) : chunk.real(5);
        }
        held = chunk.real(6);
        weighted += chunk.real(7);
        weight += static_cast<double>(chunk.integer(8));
    }
};

Result<SeriesSums> sumChunks(Database& database, SeriesId series) {
    SeriesSums sums;
    Status status = database.forEach(
        "SELECT count, begin_ns, end_ns, missing, min, max, last, weighted_sum, weight_ns FROM "
        "sample_chunk"
        " WHERE series=? ORDER BY first_index",
        [&sums](const Row& row) { sums.add(row); }, series.value);
    if (!status.hasValue())
        return status.error();
    return sums;
}

// The first and the last sample that are not missing.
struct Ends {
    std::optional<double> first;
    std::optional<double> last;
};

Result<Ends> findEnds(Database& database, const SeriesShape& series) {
    const auto present = [](double value) { return !std::isnan(value); };
    Ends ends;
    SampleReader reader(database, series.id);
    Status status = reader.forEach(0, series.count, [&](auto, auto values) {
        const auto found = std::find_if(values.begin(), values.end(), present);
        if (found != values.end())
            ends.first = *found;
        return !ends.first;
    });
    for (std::int64_t at = series.count; status.hasValue() && ends.first && !ends.last && at > 0;) {
        const auto chunk = reader.at(at - 1);
        if (!chunk.hasValue())
            return chunk.error();
        if (chunk.value() == nullptr)
            return damagedChunk(database, "the index of samples");
        const auto& values = chunk.value()->values;
        const auto found = std::find_if(values.rbegin(), values.rend(), present);
        if (found != values.rend())
            ends.last = *found;
        at = chunk.value()->firstIndex;
    }
    if (!status.hasValue())
        return status.error();
    return ends;
}

// Time-weighted; of samples that hold for no time, plain.
Result<std::optional<double>> meanOf(
    Database& database, const SeriesShape& series, const SeriesSums& sums) {
    std::optional<double> mean;
    const std::int64_t present = sums.count - sums.missing;
    if (sums.weight > 0.0)
        mean = sums.weighted / sums.weight;
    if (mean || present == 0)
        return mean;
    double sum = 0.0;
    SampleReader reader(database, series.id);
    Status status = reader.forEach(0, series.count, [&sum](auto, auto values) {
        for (const double value : values)
            sum += std::isnan(value) ? 0.0 : value;
        return true;
    });
    if (!status.hasValue())
        return status.error();
    mean = sum / static_cast<double>(present);
    return mean;
}

} // namespace

Status indexSeries(Database& database, const SeriesShape& series) {
    if (levelsFor(series.count) > 0) {
        if (Status status = PyramidPass(database, series).run(); !status.hasValue())
            return status;
    }
    const Result<SeriesSums> sums = sumChunks(database, series.id);
    if (!sums.hasValue())
        return sums.error();
    const Result<Ends> ends = findEnds(database, series);
    if (!ends.hasValue())
        return ends.error();
    const auto mean = meanOf(database, series, sums.value());
    if (!mean.hasValue())
        return mean.error();
    const auto si = [&series](const std::optional<double>& value) {
        return value ? std::optional<double>(*value * series.scale) : std::nullopt;
    };
    const SeriesSums& all = sums.value();
    return database.execute(
        "UPDATE series SET begin_ns=?, end_ns=?, period_ns=?, count=?, missing=?, first=?,"
        " last=?, min=?, max=?, mean=? WHERE id=?",
        all.begin, all.count > 0 ? all.end + 1 : all.begin, series.periodNs, all.count, all.missing,
        si(ends.value().first), si(ends.value().last), si(all.min), si(all.max), si(mean.value()),
        series.id.value);
}

} // namespace trainscope::store
