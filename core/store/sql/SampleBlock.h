#pragma once
// The samples of one chunk that a query admits, as a block of rows: one by one, or as the few
// numbers that aggregates need. What the chunk's row says already is not decoded.

#include "core/store/samples/SampleReader.h"
#include "core/store/sql/Constraint.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::store {

// A chunk as its row describes it, in source numbers.
struct ChunkRow {
    std::int64_t firstIndex = 0;
    std::int64_t count = 0;
    std::int64_t begin = 0; // first sample
    std::int64_t end = 0; // last sample
    std::int64_t missing = 0;
    double min = 0.0; // NaN where all are missing
    double max = 0.0;
    ChunkColumns columns;
};

class SampleBlock {
public:
    explicit SampleBlock(Database& database)
        : m_database(database) { }

    // Takes what lies within both ranges; the values of the range are SI.
    Status enter(const ChunkRow& chunk, double scale, IntegerRange times, const RealRange& values);

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::int64_t present() const { return m_present; }
    [[nodiscard]] std::int64_t firstTime() const { return m_firstTime; }
    [[nodiscard]] std::int64_t lastTime() const { return m_lastTime; }
    // SI; only where some are present.
    [[nodiscard]] double min() const { return m_min; }
    [[nodiscard]] double max() const { return m_max; }
    Result<double> sum();

    // The samples one by one; to be asked for once, before the first is read.
    Status readTimes();
    Status readValues();
    [[nodiscard]] std::int64_t time(std::size_t row) const { return m_times[m_first + row]; }
    // SI, NaN for missing.
    [[nodiscard]] double value(std::size_t row) const { return m_values[m_first + row] * m_scale; }
    // The index of the sample in its series.
    [[nodiscard]] std::int64_t index(std::size_t row) const {
        const std::size_t place = m_places.empty() ? m_first + row : m_places[row];
        return m_chunk.firstIndex + static_cast<std::int64_t>(place);
    }

private:
    Status narrowTimes(IntegerRange times);
    Status narrowValues(const RealRange& values);
    void measureValues();

    Database& m_database;
    ChunkRow m_chunk;
    double m_scale = 1.0;
    std::int64_t m_count = 0;
    std::int64_t m_present = 0;
    std::int64_t m_firstTime = 0;
    std::int64_t m_lastTime = 0;
    double m_min = 0.0;
    double m_max = 0.0;
    std::size_t m_first = 0; // of the columns
    std::vector<std::uint32_t> m_places; // in the chunk, of those that were moved; else empty
    bool m_hasTimes = false;
    bool m_hasValues = false;
    bool m_isPart = false; // of the chunk: its row no longer describes it
    std::vector<std::int64_t> m_times;
    std::vector<double> m_values; // source numbers
    Bytes m_bytes;
    Bytes m_base;
};

} // namespace trainscope::store
