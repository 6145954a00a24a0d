#pragma once
// The samples of one session: collected per series, encoded as chunks by jobs, written in order by
// the session's thread, and at the end sorted where they came out of order, indexed by their
// pyramid and described in the series table. Memory is bounded by kPendingSamples, a leaf of the
// pyramid of each series, the chunks under way and the columns that TimeShare keeps.

#include "core/parallel/OrderedJobs.h"
#include "core/store/codec/ValueCodec.h"
#include "core/store/database/Database.h"
#include "core/store/samples/ChunkRows.h"

namespace trainscope::store {

class SampleWriter {
public:
    explicit SampleWriter(Database& database);
    void setSource(std::int64_t source) { m_chunks.data().setSource(source); }
    void open(SeriesId series, const SeriesDescription& description);
    // Any time before finish().
    void setCounterBits(SeriesId series, int bits) { m_series[series].counterBits = bits; }
    Status add(SeriesId series, std::span<const TimeNs> times, std::span<const double> values);
    // `proceed` is asked between pieces of work with the samples done and to do; false stops with
    // Cancelled.
    using Proceed = std::function<bool(std::uint64_t done, std::uint64_t total)>;
    Status finish(const Proceed& proceed);

private:
    static constexpr std::size_t kPendingSamples = std::size_t{4} << 20U; // 64 MiB

    struct Pending {
        double scale = 1.0;
        int counterBits = 0;
        std::optional<double> peakRate;
        std::vector<std::int64_t> times;
        std::vector<double> values;
        std::int64_t submitted = 0; // samples in chunks, written or under way
        std::int64_t lastTime = 0; // end of the last chunk
        std::uint64_t touched = 0;
        bool unsorted = false;
        // Figures of the samples that are written.
        SampleFigures figures;
        PeriodHistogram periods;
    };
    struct Written {
        SeriesId series;
        TimeShare::Decision share;
        ChunkOutput output;
    };

    // Makes a job of the first `count` pending samples.
    Status submit(SeriesId series, Pending& pending, std::size_t count);
    Status relieve();
    void write(Written&& chunk);
    Status finishChunks(const std::vector<SeriesId>& ids, const Proceed& proceed);
    Status drain();
    Status resort(SeriesId series, Pending& pending, const Proceed& proceed);
    Status index(SeriesId series, const Pending& pending, const Proceed& proceed);

    Database& m_database;
    ChunkWriter m_chunks;
    std::unordered_map<SeriesId, Pending> m_series;
    std::size_t m_pending = 0;
    std::size_t m_relievedAt = kPendingSamples / 2; // pending when it was last relieved
    std::uint64_t m_clock = 0;
    std::uint64_t m_total = 0;
    std::uint64_t m_written = 0;
    Status m_failure; // the first failure to write
    OrderedJobs<Written> m_jobs;
};

} // namespace trainscope::store
