#pragma once
// The samples of a source that is written while it happens. Each write() adds what is new as small
// chunks; every kMergeEvery writes these become one chunk a series, and chunks of kWholeChunk
// samples are left alone for good. So a sample is written three times, however long it goes on, and
// a reader finds no more than a block of each series without a pyramid (SeriesPyramid.h).
//
// One write() is a part of the caller's transaction; until written() says that it holds, nothing
// that it did is remembered, and the next one does it again.

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/model/Time.h"
#include "core/store/database/Database.h"
#include "core/store/samples/SampleFigures.h"
#include "core/store/samples/SeriesPyramid.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace trainscope::store {

class GrowingSamples {
public:
    static constexpr std::int64_t kWholeChunk = 4096;
    static constexpr int kMergeEvery = 16;

    GrowingSamples(Database& database, SourceId source)
        : m_database(database)
        , m_source(source) { }

    void open(SeriesId series, const SeriesDescription& description);
    // One that holds samples of an earlier recording, which stay as they are; a missing sample
    // stands between them and the next one. A part of the caller's transaction.
    Status reopen(SeriesId series, const SeriesDescription& description);
    // In memory until they are written. A time before the last one counts as that.
    void add(SeriesId series, TimeNs time, double value);

    Status write();
    void written();
    // The last write(): every level of every pyramid, and nothing left to be merged.
    Status finish(const IndexProceed& proceed);

private:
    // The part of a series that the database holds.
    struct Held {
        std::int64_t whole = 0; // samples in chunks that stay
        std::int64_t indexed = 0; // those under a pyramid
        SampleFigures figures; // figures of all
        PeriodHistogram periods;
    };
    struct Growing {
        double scale = 1.0;
        int counterBits = 0;
        std::optional<double> peakRate;
        Held held;
        Held next; // held once the transaction holds
        // Time at which the last value ends, until the first sample behind an earlier recording.
        std::optional<std::int64_t> over;
        // Samples behind those in chunks that stay.
        std::vector<std::int64_t> times;
        std::vector<double> values;

        [[nodiscard]] std::size_t unwritten() const; // the first, in `times`
        [[nodiscard]] std::int64_t lastTime() const;
    };
    // Rows of sample_data whose chunks the next merge replaces: first, and behind the last.
    using Rows = std::pair<std::int64_t, std::int64_t>;
    class Chunks;

    void prepare();
    Status addNew();
    Status merge(bool isLast);
    Status removeRows(const std::vector<Rows>& rows) const;
    Status indexBlocks(DataWriter& data);
    Status indexBlocks(SeriesId id, Growing& series, DataWriter& data) const;
    Status describe(SeriesId id, const Growing& series) const;
    [[nodiscard]] static SeriesShape shapeOf(SeriesId id, const Growing& series);
    Result<std::int64_t> nextRow() const;

    Database& m_database;
    SourceId m_source;
    std::map<SeriesId, Growing> m_series;
    std::vector<Rows> m_loose;
    std::vector<Rows> m_nextLoose;
    // Rows with the levels of blocks alone, which the whole pyramid replaces in the end.
    std::vector<Rows> m_levels;
    std::vector<Rows> m_nextLevels;
    int m_writes = 0; // since the last merge
    int m_nextWrites = 0;
    std::int64_t m_count = 0;
};

} // namespace trainscope::store
