#pragma once
// Samples on their way into chunks, and the rows that say where they lie and what they are
// together. Writing is part of the caller's transaction.

#include "core/store/codec/IntColumn.h"
#include "core/store/database/Database.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleFigures.h"
#include "core/store/samples/SeriesPyramid.h"

#include <deque>

namespace trainscope::store {

// Finds time columns of one import that are the same, or so close to another's that their
// differences are worth storing: series that were sampled together.

using TimeColumn = std::shared_ptr<const std::vector<std::int64_t>>;

class TimeShare {
public:
    // A decision says what is to be done with a column, and the slot in which its place is noted.
    struct Decision {
        std::size_t slot = 0;
        bool known = false; // an equal column has that slot already
        TimeColumn base; // to be encoded beside this one
        std::size_t baseSlot = 0;
    };
    Decision decide(const TimeColumn& times);

    void place(std::size_t slot, DataPlace place, DataPlace base) {
        m_places[slot] = {place, base};
    }
    struct Places {
        DataPlace times;
        DataPlace base; // size 0 where the column stands alone
    };
    [[nodiscard]] const Places& places(std::size_t slot) const { return m_places[slot]; }

private:
    static constexpr std::size_t kMostValues = std::size_t{6} << 20U; // 48 MiB
    // Searching is linear in the leaders, and short columns gain little.
    static constexpr std::size_t kMostLeaders = 4096;
    static constexpr std::size_t kShortest = 256;

    struct Leader {
        TimeColumn times;
        std::size_t slot;
    };
    [[nodiscard]] const Leader* leaderFor(const std::vector<std::int64_t>& times) const;
    void lead(const TimeColumn& times, std::size_t slot);

    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> m_known; // by 128 bits of hash
    std::vector<Places> m_places;
    std::deque<Leader> m_leaders; // columns that stand alone, the oldest first
    std::size_t m_values = 0;
};

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
