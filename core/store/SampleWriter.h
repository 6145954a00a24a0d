#pragma once
// The samples of one session: collected per series, written as chunks, and at the end sorted where
// they came out of order, indexed by their pyramid and described in the series table. Memory is
// bounded by kPendingSamples.

#include "core/model/Import.h"
#include "core/store/BucketQuery.h"
#include "core/store/ChunkCodec.h"
#include "core/store/Database.h"
#include "core/store/PeriodHistogram.h"

#include <array>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace trainscope::store {

class SampleWriter {
public:
    SampleWriter(Database& database, std::int64_t source)
        : m_database(database)
        , m_source(source) { }
    void setSource(std::int64_t source) { m_source = source; }
    void open(SeriesId series, double scale, int counterBits);
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
        std::vector<std::int64_t> times;
        std::vector<double> values;
        std::int64_t written = 0; // samples in chunks
        std::int64_t lastTime = 0; // of the last chunk
        std::uint64_t touched = 0;
        bool unsorted = false;
        PeriodHistogram periods;
    };

    Status flush(SeriesId series, Pending& pending);
    Status relieve();
    Result<std::int64_t> timeColumn(std::span<const std::int64_t> times);
    Status resort(SeriesId series, Pending& pending);
    Status writeChunk(SeriesId series, Pending& pending);

    struct HashValue {
        std::uint64_t low;
        std::uint64_t high;
        bool operator==(const HashValue&) const = default;
    };
    struct HashOfHash {
        std::size_t operator()(const HashValue& value) const noexcept { return value.low; }
    };

    Database& m_database;
    std::int64_t m_source;
    std::unordered_map<SeriesId, Pending> m_series;
    std::unordered_map<HashValue, std::int64_t, HashOfHash> m_timeColumns;
    std::size_t m_pending = 0;
    std::uint64_t m_clock = 0;
    std::uint64_t m_total = 0;
};

} // namespace trainscope::store
