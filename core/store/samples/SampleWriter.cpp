#include "core/store/samples/SampleWriter.h"

#include "core/model/Gather.h"
#include "core/model/SortByTime.h"
#include "core/store/database/Spill.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleReader.h"
#include "core/store/samples/SeriesPyramid.h"

namespace trainscope::store {
namespace {

struct SampleRow {
    std::int64_t time;
    double value;
};
struct Earlier {
    bool operator()(const SampleRow& a, const SampleRow& b) const { return a.time < b.time; }
};
constexpr std::size_t kRowsInMemory = std::size_t{1} << 20U;

// The first `count`, which are taken away. All of them leave no memory behind.
template <typename T>
std::vector<T> takeFirst(std::vector<T>& all, std::size_t count) {
    if (count == all.size())
        return std::exchange(all, {});
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<T> first(all.begin(), middle);
    all.erase(all.begin(), middle);
    return first;
}

} // namespace

SampleWriter::SampleWriter(Database& database)
    : m_database(database)
    , m_chunks(database)
    , m_jobs(WorkerPool::shared(), 0, [this](Written&& chunk) { write(std::move(chunk)); }) { }

void SampleWriter::open(SeriesId series, const SeriesDescription& description) {
    Pending& pending = m_series[series];
    pending.scale = description.scale;
    pending.counterBits = description.counterBits;
    pending.peakRate = peakRate(description.metric);
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
        const auto from = static_cast<std::ptrdiff_t>(at);
        const auto to = static_cast<std::ptrdiff_t>(at + take);
        std::transform(times.begin() + from, times.begin() + to, std::back_inserter(pending.times),
            [](TimeNs time) { return time.ns; });
        pending.values.insert(pending.values.end(), values.begin() + from, values.begin() + to);
        at += take;
        m_pending += take;
        m_total += take;
        if (pending.times.size() == kChunkSamples)
            RETURN_IF_ERROR(submit(series, pending, kChunkSamples));
    }
    return m_pending > m_relievedAt + kPendingSamples / 2 ? relieve() : Status();
}

// Writes out what has not been touched for longest: of files read one after the other those are
// complete. Nodes of the pyramid do not reach over the end of a chunk.
Status SampleWriter::relieve() {
    std::vector<std::pair<std::uint64_t, SeriesId>> byAge;
    for (const auto& [id, pending] : m_series) {
        if (pending.times.size() >= kLeafSamples)
            byAge.emplace_back(pending.touched, id);
    }
    std::sort(byAge.begin(), byAge.end());
    for (const auto& [touched, id] : byAge) {
        if (m_pending <= kPendingSamples / 2)
            break;
        Pending& pending = m_series[id];
        const std::size_t whole = pending.times.size() / kLeafSamples * kLeafSamples;
        RETURN_IF_ERROR(submit(id, pending, whole));
    }
    // Many short series cannot be written yet: the next sample must not look for them again.
    m_relievedAt = std::max(m_pending, kPendingSamples / 2);
    return {};
}

Status SampleWriter::submit(SeriesId series, Pending& pending, std::size_t count) {
    if (count == 0)
        return m_failure;
    sortByTime(pending.times, pending.values);
    if (pending.submitted > 0 && pending.times.front() < pending.lastTime)
        pending.unsorted = true;
    ChunkInput input;
    input.times
        = std::make_shared<const std::vector<std::int64_t>>(takeFirst(pending.times, count));
    input.values = takeFirst(pending.values, count);
    m_pending -= count;
    pending.submitted += static_cast<std::int64_t>(count);
    pending.lastTime = input.times->back();
    input.share = m_chunks.share(input.times);
    m_jobs.submit([series, input = std::move(input)]() -> Written {
        return {series, input.share, encodeChunk(input)};
    });
    return m_failure;
}

void SampleWriter::write(Written&& chunk) {
    if (!m_failure.hasValue())
        return;
    Pending& pending = m_series[chunk.series];
    const std::int64_t firstIndex = pending.figures.count;
    if (firstIndex > 0)
        pending.periods.add(clampedDifference(chunk.output.figures.begin, pending.figures.end));
    pending.periods.add(chunk.output.periods);
    pending.figures.append(chunk.output.figures);
    m_written += static_cast<std::uint64_t>(chunk.output.figures.count);
    m_failure = m_chunks.write(chunk.series, firstIndex, chunk.share, chunk.output);
}

Status SampleWriter::drain() {
    m_jobs.finish();
    if (m_failure.hasValue())
        m_failure = m_chunks.data().flush();
    return m_failure;
}

// Chunks that came out of order are read back, sorted on disk and written anew. Their old bytes
// stay where they are until the source goes.
Status SampleWriter::resort(SeriesId series, Pending& pending, const Proceed& proceed) {
    ExternalSorter<SampleRow, Earlier> sorter(m_database.shownPath(), kRowsInMemory);
    SampleReader reader(m_database, series);
    Status added;
    RETURN_IF_ERROR(reader.forEach(0, pending.submitted, [&](auto times, auto values) {
        for (std::size_t i = 0; i < times.size() && added.hasValue(); ++i)
            added = sorter.add({times[i], values[i]});
        if (added.hasValue() && !proceed(m_written / 2, m_total))
            added = cancelled();
        return added.hasValue();
    }));
    if (!added.hasValue())
        return added;
    RETURN_IF_ERROR(m_database.execute("DELETE FROM sample_chunk WHERE series=?", series.value));
    m_written -= static_cast<std::uint64_t>(pending.submitted);
    pending.submitted = 0;
    pending.unsorted = false;
    pending.figures = {};
    pending.periods = {};
    RETURN_IF_ERROR(sorter.drain([&](const SampleRow& row) {
        pending.times.push_back(row.time);
        pending.values.push_back(row.value);
        ++m_pending;
        if (pending.times.size() < kChunkSamples)
            return Status();
        return proceed(m_written / 2, m_total) ? submit(series, pending, kChunkSamples)
                                               : Status(cancelled());
    }));
    RETURN_IF_ERROR(submit(series, pending, pending.times.size()));
    return drain();
}

// Writes what is still pending, in the order of the series.
Status SampleWriter::finishChunks(const std::vector<SeriesId>& ids, const Proceed& proceed) {
    for (const SeriesId id : ids) {
        Pending& pending = m_series[id];
        RETURN_IF_ERROR(submit(id, pending, pending.times.size()));
        if (!proceed(m_written / 2, m_total))
            return cancelled();
    }
    RETURN_IF_ERROR(drain());
    for (const SeriesId id : ids) {
        Pending& pending = m_series[id];
        if (!pending.unsorted)
            continue;
        RETURN_IF_ERROR(resort(id, pending, proceed));
    }
    return {};
}

Status SampleWriter::index(SeriesId series, const Pending& pending, const Proceed& proceed) {
    const SeriesShape shape{series, pending.scale, pending.counterBits, pending.figures.count,
        pending.periods.period(), pending.peakRate};
    RETURN_IF_ERROR(indexSeries(m_database, m_chunks.data(), shape, proceed));
    return updateSeries(m_database, shape, pending.figures);
}

Status SampleWriter::finish(const Proceed& proceed) {
    std::vector<SeriesId> ids = vectorOf(m_series, [](const auto& one) { return one.first; });
    std::sort(ids.begin(), ids.end());
    RETURN_IF_ERROR(finishChunks(ids, proceed));
    std::uint64_t done = 0;
    for (const SeriesId id : ids) {
        const Pending& pending = m_series[id];
        RETURN_IF_ERROR(index(id, pending, [&](std::uint64_t within, std::uint64_t) {
            return proceed((m_total + done + within) / 2, m_total);
        }));
        done += static_cast<std::uint64_t>(pending.figures.count);
        if (!proceed((m_total + done) / 2, m_total))
            return cancelled();
    }
    return m_chunks.data().flush();
}

} // namespace trainscope::store
