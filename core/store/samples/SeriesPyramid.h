#pragma once
// The pyramid of a stored series: written from its chunks at the end of an import, and read as the
// buckets of a window. A window reads raw samples where they are few, else the level whose nodes
// are about as wide as a column, finer ones only where a node is wider than a column (holes, edges,
// slow stretches).

#include "core/store/codec/IntColumn.h"
#include "core/store/database/Database.h"
#include "core/store/samples/CounterRate.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleReader.h"

namespace trainscope::store {

enum class PyramidKind : int {
    Value = 0, // the samples themselves
    Rate = 1, // a counter's rate (CounterRate.h)
};

// An interval of more median periods than this is a hole in the recording.
inline constexpr std::int64_t kHolePeriods = 10;

// The facts of a series that a query needs.
struct SeriesShape {
    SeriesId id;
    double scale = 1.0;
    int counterBits = 0;
    std::int64_t count = 0;
    std::int64_t periodNs = 0; // median
    std::optional<double> peakRate = {}; // a counter's (CounterRule.h)
    [[nodiscard]] std::int64_t holeNs() const;
    [[nodiscard]] CounterRule counterRule() const { return {counterBits, scale, peakRate}; }
};

// Writes the pages, for counters also those of their rate. `proceed` is asked between pieces of
// work with the samples done and to do; false stops with Cancelled.
using IndexProceed = std::function<bool(std::uint64_t done, std::uint64_t total)>;
Status indexSeries(Database& database, DataWriter& data, const SeriesShape& series,
    const IndexProceed& proceed, Squeeze squeeze = Squeeze::No);

// The levels below a block of samples in the middle of a series that goes on: of a recording the
// rest of the pyramid is missing until it ends, and is read raw.
inline constexpr std::int64_t kBlockSamples = kRawSamples;
Status indexBlock(
    Database& database, DataWriter& data, const SeriesShape& series, std::int64_t firstSample);
// Samples behind a block that its last rates need.
inline constexpr std::int64_t kRateLookAhead = 64;

// The rates of a counter's samples [from, to), as far as they are settled by what lies behind.
Result<std::vector<RateSample>> readRates(
    SampleReader& reader, const SeriesShape& series, std::int64_t from, std::int64_t to);

// Equal columns over the window; see Store::buckets and rateBuckets.
Result<std::vector<Bucket>> queryBuckets(
    Database& database, const SeriesShape& series, PyramidKind kind, TimeRange window, int columns);

} // namespace trainscope::store
