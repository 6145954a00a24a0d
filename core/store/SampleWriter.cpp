#include "core/store/SampleWriter.h"

#include "core/store/CounterRate.h"
#include "core/store/PyramidBuilder.h"
#include "core/store/SampleReader.h"
#include "core/store/Spill.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainscope::store {
namespace {

struct SampleRow {
    std::int64_t time;
    double value;
};
struct Earlier {
    bool operator()(const SampleRow& a, const SampleRow& b) const { return a.time < b.time; }
};
constexpr std::size_t kRowsInMemory = std::size_t{1} << 21U;

// What a chunk row says of its own samples; source numbers.
struct ChunkFigures {
    std::int64_t missing = 0;
    std::optional<double> min;
    std::optional<double> max;
    double weighted = 0.0; // Σ value·ns between samples of the chunk
    std::int64_t weight = 0;
};

ChunkFigures figuresOf(std::span<const std::int64_t> times, std::span<const double> values) {
    ChunkFigures figures;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (std::isnan(values[i])) {
            ++figures.missing;
            continue;
        }
        figures.min = figures.min ? std::min(*figures.min, values[i]) : values[i];
        figures.max = figures.max ? std::max(*figures.max, values[i]) : values[i];
        if (i + 1 < times.size()) {
            figures.weighted += values[i] * static_cast<double>(times[i + 1] - times[i]);
            figures.weight += times[i + 1] - times[i];
        }
    }
    return figures;
}

void sortTogether(std::vector<std::int64_t>& times, std::vector<double>& values) {
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
        [&times](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    std::vector<std::int64_t> sortedTimes;
    std::vector<double> sortedValues;
    for (const std::size_t i : order) {
        sortedTimes.push_back(times[i]);
        sortedValues.push_back(values[i]);
    }
    times = std::move(sortedTimes);
    values = std::move(sortedValues);
}

} // namespace

void SampleWriter::open(SeriesId series, double scale, int counterBits) {
    Pending& pending = m_series[series];
    pending.scale = scale;
    pending.counterBits = counterBits;
}

Status SampleWriter::add(
    SeriesId series, std::span<const TimeNs> times, std::span<const double> values) {
    const auto found = m_series.find(series);
    if (found == m_series.end() || times.size() != values.size())
        return Error{ErrorCode::Internal,
            "Samples were handed to a series that this import did not open.", {}};
    Pending& pending = found->second;
    pending.touched = ++m_clock;
    for (std::size_t at = 0; at < times.size();) {
        const std::size_t take = std::min(times.size() - at, kChunkSamples - pending.times.size());
        for (std::size_t i = at; i < at + take; ++i) {
            pending.times.push_back(times[i].ns);
            pending.values.push_back(values[i]);
        }
        at += take;
        m_pending += take;
        m_total += take;
        if (pending.times.size() == kChunkSamples) {
            if (Status status = flush(series, pending); !status.hasValue())
                return status;
        }
    }
    return m_pending > kPendingSamples ? relieve() : Status();
}

// Writes out what has not been touched for longest: of files read one after the other those are
// complete.
Status SampleWriter::relieve() {
    std::vector<std::pair<std::uint64_t, SeriesId>> byAge;
    for (const auto& [id, pending] : m_series) {
        if (!pending.times.empty())
            byAge.emplace_back(pending.touched, id);
    }
    std::sort(byAge.begin(), byAge.end());
    for (const auto& [touched, id] : byAge) {
        if (m_pending <= kPendingSamples / 2)
            break;
        if (Status status = flush(id, m_series[id]); !status.hasValue())
            return status;
    }
    return {};
}

Status SampleWriter::flush(SeriesId series, Pending& pending) {
    if (pending.times.empty())
        return {};
    if (!std::is_sorted(pending.times.begin(), pending.times.end()))
        sortTogether(pending.times, pending.values);
    if (pending.written > 0 && pending.times.front() < pending.lastTime)
        pending.unsorted = true;
    Status status = writeChunk(series, pending);
    m_pending -= pending.times.size();
    // Series that are done should not keep their memory.
    pending.times = {};
    pending.values = {};
    return status;
}

Status SampleWriter::writeChunk(SeriesId series, Pending& pending) {
    const auto& times = pending.times;
    if (pending.written > 0)
        pending.periods.add(times.front() - pending.lastTime);
    for (std::size_t i = 1; i < times.size(); ++i)
        pending.periods.add(times[i] - times[i - 1]);
    const Result<std::int64_t> timesId = timeColumn(times);
    if (!timesId.hasValue())
        return timesId.error();
    const ChunkFigures figures = figuresOf(times, pending.values);
    Bytes data;
    encodeValues(pending.values, data);
    Status status = m_database.execute(
        "INSERT INTO sample_chunk(series, first_index, count, begin_ns, end_ns, missing, min, max, "
        "last,"
        " weighted_sum, weight_ns, times, data) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
        series.value, pending.written, static_cast<std::int64_t>(times.size()), times.front(),
        times.back(), figures.missing, figures.min, figures.max, pending.values.back(),
        figures.weighted, figures.weight, timesId.value(), data);
    pending.written += static_cast<std::int64_t>(times.size());
    pending.lastTime = std::max(pending.lastTime, times.back());
    if (pending.written == static_cast<std::int64_t>(times.size()))
        pending.lastTime = times.back();
    return status;
}

Result<std::int64_t> SampleWriter::timeColumn(std::span<const std::int64_t> times) {
    const XXH128_hash_t hash = XXH3_128bits(times.data(), times.size_bytes());
    const HashValue key{hash.low64, hash.high64};
    const auto found = m_timeColumns.find(key);
    if (found != m_timeColumns.end())
        return found->second;
    Bytes data;
    encodeTimes(times, data);
    Status status
        = m_database.execute("INSERT INTO time_column(source, data) VALUES(?,?)", m_source, data);
    if (!status.hasValue())
        return status.error();
    const std::int64_t id = m_database.lastRowId();
    m_timeColumns.emplace(key, id);
    return id;
}

// Chunks that came out of order are read back, sorted on disk and written anew. Their old time
// columns go too, unless another series shares them.
Status SampleWriter::resort(SeriesId series, Pending& pending) {
    ExternalSorter<SampleRow, Earlier> sorter(m_database.shownPath(), kRowsInMemory);
    SampleReader reader(m_database, series);
    Status status;
    Status read = reader.forEach(0, pending.written, [&](auto times, auto values) {
        for (std::size_t i = 0; i < times.size() && status.hasValue(); ++i)
            status = sorter.add({times[i], values[i]});
        return status.hasValue();
    });
    if (!read.hasValue() || !status.hasValue())
        return read.hasValue() ? status : read;
    status = m_database.execute("DELETE FROM sample_chunk WHERE series=?", series.value);
    pending.written = 0;
    pending.unsorted = false;
    pending.periods = {};
    if (status.hasValue()) {
        status = sorter.drain([&](const SampleRow& row) {
            pending.times.push_back(row.time);
            pending.values.push_back(row.value);
            ++m_pending;
            return pending.times.size() == kChunkSamples ? flush(series, pending) : Status();
        });
    }
    return status.hasValue() ? flush(series, pending) : status;
}

Status SampleWriter::finish(const Proceed& proceed) {
    std::uint64_t done = 0;
    bool resorted = false;
    std::vector<SeriesId> ids;
    for (const auto& [id, pending] : m_series)
        ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    for (const SeriesId id : ids) {
        Pending& pending = m_series[id];
        Status status = flush(id, pending);
        if (status.hasValue() && pending.unsorted) {
            resorted = true;
            status = resort(id, pending);
        }
        if (status.hasValue())
            status = index(id, pending);
        if (!status.hasValue())
            return status;
        done += static_cast<std::uint64_t>(pending.written);
        if (!proceed(done, m_total))
            return cancelled();
    }
    if (!resorted)
        return {};
    return m_database.execute(
        "DELETE FROM time_column WHERE source=? AND id NOT IN"
        " (SELECT times FROM sample_chunk WHERE series IN (SELECT id FROM series WHERE source=?))",
        m_source, m_source);
}

Status SampleWriter::index(SeriesId series, Pending& pending) {
    const SeriesShape shape{
        series, pending.scale, pending.counterBits, pending.written, pending.periods.median()};
    const int levels = levelsFor(shape.count);
    const auto sinkOf = [&](PyramidKind kind) {
        return [this, series, kind](
                   int level, std::int64_t first, const std::vector<BucketNode>& nodes) {
            Bytes data;
            encodeNodes(nodes, level, data);
            return m_database.execute("INSERT INTO bucket_page(series, kind, level, first_index, "
                                      "count, data) VALUES(?,?,?,?,?,?)",
                series.value, static_cast<int>(kind), level, first,
                static_cast<std::int64_t>(nodes.size()), data);
        };
    };
    if (levels > 0) {
        const bool counter = pending.counterBits > 0;
        PyramidBuilder values(levels, shape.holeNs(), sinkOf(PyramidKind::Value));
        PyramidBuilder rates(counter ? levels : 0, shape.holeNs(), sinkOf(PyramidKind::Rate));
        CounterRate rate(pending.counterBits, pending.scale);
        std::vector<RateSample> settled;
        std::int64_t lastTime = 0;
        Status status;
        SampleReader reader(m_database, series);
        Status read = reader.forEach(0, shape.count, [&](auto times, auto samples) {
            settled.clear();
            for (std::size_t i = 0; i < times.size() && status.hasValue(); ++i) {
                status = values.add(times[i], samples[i] * pending.scale);
                if (counter)
                    rate.push(times[i], samples[i], settled);
            }
            for (std::size_t i = 0; i < settled.size() && status.hasValue(); ++i)
                status = rates.add(settled[i].time, settled[i].rate);
            lastTime = times.back();
            return status.hasValue();
        });
        if (read.hasValue() && status.hasValue())
            status = values.finish();
        if (read.hasValue() && status.hasValue())
            status = rates.finish(lastTime);
        if (!read.hasValue() || !status.hasValue())
            return read.hasValue() ? status : read;
    }
    return describe(shape);
}

// Statistics over the whole series from the chunks' figures; the interval between two chunks
// belongs to neither.
Status SampleWriter::describe(const SeriesShape& shape) {
    struct {
        std::int64_t begin = 0, end = 0, missing = 0, count = 0;
        double weighted = 0.0, weight = 0.0, before = 0.0;
        std::optional<double> min, max;
    } sum;
    Status status = m_database.forEach(
        "SELECT count, begin_ns, end_ns, missing, min, max, last, weighted_sum, weight_ns FROM "
        "sample_chunk"
        " WHERE series=? ORDER BY first_index",
        [&sum](const Row& row) {
            if (sum.count == 0)
                sum.begin = row.integer(1);
            else if (!std::isnan(sum.before)) {
                const auto between = static_cast<double>(row.integer(1) - sum.end);
                sum.weighted += sum.before * between;
                sum.weight += between;
            }
            sum.count += row.integer(0);
            sum.missing += row.integer(3);
            sum.end = row.integer(2);
            if (!row.isNull(4)) {
                sum.min = sum.min ? std::min(*sum.min, row.real(4)) : row.real(4);
                sum.max = sum.max ? std::max(*sum.max, row.real(5)) : row.real(5);
            }
            sum.before = row.real(6);
            sum.weighted += row.real(7);
            sum.weight += static_cast<double>(row.integer(8));
        },
        shape.id.value);
    if (!status.hasValue())
        return status;
    std::optional<double> first;
    std::optional<double> last;
    double plain = 0.0;
    // Only a series without any duration has no weighted mean; it is short then, or all at one
    // instant.
    const bool needsPlain = !(sum.weight > 0.0);
    const auto firstIn = [&](auto, std::span<const double> values) {
        for (const double value : values) {
            if (std::isnan(value))
                continue;
            first = first ? first : std::optional<double>(value);
            plain += value;
        }
        return needsPlain || !first;
    };
    SampleReader reader(m_database, shape.id);
    status = reader.forEach(0, shape.count, firstIn);
    for (std::int64_t at = shape.count; status.hasValue() && !last && first && at > 0;) {
        const auto chunk = reader.at(at - 1);
        if (!chunk.hasValue() || chunk.value() == nullptr)
            return chunk.hasValue() ? Status(damagedChunk(m_database, "the index of samples"))
                                    : Status(chunk.error());
        const auto& values = chunk.value()->values;
        const auto found
            = std::find_if(values.rbegin(), values.rend(), [](double v) { return !std::isnan(v); });
        if (found != values.rend())
            last = *found;
        at = chunk.value()->firstIndex;
    }
    if (!status.hasValue())
        return status;
    std::optional<double> mean;
    if (sum.weight > 0.0)
        mean = sum.weighted / sum.weight;
    else if (sum.count > sum.missing)
        mean = plain / static_cast<double>(sum.count - sum.missing);
    const auto si = [&shape](const std::optional<double>& value) {
        return value ? std::optional<double>(*value * shape.scale) : std::nullopt;
    };
    return m_database.execute("UPDATE series SET begin_ns=?, end_ns=?, period_ns=?, count=?, "
                              "missing=?, first=?, last=?, min=?, max=?,"
                              " mean=? WHERE id=?",
        sum.begin, sum.count > 0 ? sum.end + 1 : sum.begin, shape.periodNs, sum.count, sum.missing,
        si(first), si(last), si(sum.min), si(sum.max), si(mean), shape.id.value);
}

} // namespace trainscope::store
