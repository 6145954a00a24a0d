#include "core/store/SampleWriter.h"

#include "core/store/SampleReader.h"
#include "core/store/SeriesIndex.h"
#include "core/store/Spill.h"
#include "core/store/TimeCodec.h"

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
            status = indexSeries(m_database,
                {id, pending.scale, pending.counterBits, pending.written,
                    pending.periods.median()});
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

} // namespace trainscope::store
