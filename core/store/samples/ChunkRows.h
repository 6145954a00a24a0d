#pragma once
// Samples on their way into chunks, and the rows that say where they lie and what they are
// together. Writing is part of the caller's transaction.

#include "core/store/codec/IntColumn.h"
#include "core/store/database/Database.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleFigures.h"
#include "core/store/samples/SeriesPyramid.h"
#include "core/store/samples/TimeShare.h"

#include <vector>

namespace trainscope::store {

struct ChunkInput {
    TimeColumn times; // in order, not empty
    std::vector<double> values;
    TimeShare::Decision share;
};

struct ChunkOutput {
    Bytes values;
    Bytes times; // empty where known
    bool beside = false; // `times` are relative to the base
    SampleFigures figures;
    PeriodHistogram periods;
};

// Pure; any thread.
ChunkOutput encodeChunk(const ChunkInput& input, Squeeze squeeze = Squeeze::No);

// Chunks of the series of one source, in the order in which their times were shared.
class ChunkWriter {
public:
    explicit ChunkWriter(Database& database)
        : m_database(database)
        , m_data(database) { }

    DataWriter& data() { return m_data; }
    TimeShare::Decision share(const TimeColumn& times) { return m_share.decide(times); }
    Status write(SeriesId series, std::int64_t firstIndex, const TimeShare::Decision& share,
        const ChunkOutput& chunk);

private:
    Database& m_database;
    DataWriter m_data;
    TimeShare m_share;
};

// Count, range and figures of the whole series.
Status updateSeries(Database& database, const SeriesShape& series, const SampleFigures& all);

} // namespace trainscope::store
