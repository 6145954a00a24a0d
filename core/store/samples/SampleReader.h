#pragma once
// The raw samples of one series, by index or by time, chunk by chunk. Keeps the last chunk decoded.

#include "core/store/Values.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

struct SampleChunk {
    std::int64_t firstIndex = 0;
    std::vector<std::int64_t> times;
    std::vector<double> values; // source numbers, NaN for missing

    [[nodiscard]] std::int64_t endIndex() const {
        return firstIndex + static_cast<std::int64_t>(times.size());
    }
};

// The place of a chunk, without its samples.
struct ChunkPlace {
    std::int64_t firstIndex = 0;
    std::int64_t count = 0;
    std::int64_t begin = 0; // first sample
    std::int64_t end = 0; // last sample
};

class SampleReader {
public:
    SampleReader(Database& database, SeriesId series)
        : m_database(database)
        , m_series(series) { }
    // The chunk that holds that sample; absent behind the last. The pointer is valid until the next
    // call.
    Result<const SampleChunk*> at(std::int64_t index);
    // The last chunk that begins before `time`, else the first; absent in an empty series.
    Result<std::optional<ChunkPlace>> placeBefore(std::int64_t time);
    // Index of the first sample at or after `time`; the number of samples when there is none.
    Result<std::int64_t> lowerBound(std::int64_t time);
    // The sample with that index, which is less than their number; in source numbers.
    Result<Sample> sample(std::int64_t index);
    // Visits the samples [from, to), as far as there are any, in contiguous blocks; false stops.
    // Unreadable where some are missing before later ones.
    using Visit
        = std::function<bool(std::span<const std::int64_t> times, std::span<const double> values)>;
    Status forEach(std::int64_t from, std::int64_t to, const Visit& visit);

private:
    Status load(std::int64_t index);
    Status requireNoneBehind(std::int64_t index);

    Database& m_database;
    SeriesId m_series;
    SampleChunk m_chunk;
    Bytes m_bytes;
    Bytes m_base;
    bool m_loaded = false;
};

} // namespace trainscope::store
