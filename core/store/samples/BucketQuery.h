#pragma once
// Buckets of one series in a window: raw samples where they are few, else the level of the pyramid
// whose nodes are about as wide as a column, finer ones only where a node is wider than a column
// (holes, edges, slow stretches).

#include "core/model/Id.h"
#include "core/model/Result.h"
#include "core/model/Series.h"
#include "core/store/database/Database.h"

#include <vector>

namespace trainscope::store {

enum class PyramidKind : int {
    Value = 0, // of the samples
    Rate = 1, // of a counter's rate (CounterRate.h)
};

inline constexpr std::int64_t kHolePeriods
    = 10; // an interval of more median periods than this is a hole

// What a query needs to know of a series.
struct SeriesShape {
    SeriesId id;
    double scale = 1.0;
    int counterBits = 0;
    std::int64_t count = 0;
    std::int64_t periodNs = 0; // median
    [[nodiscard]] std::int64_t holeNs() const;
};

Result<std::vector<Bucket>> queryBuckets(
    Database& database, const SeriesShape& series, PyramidKind kind, TimeRange window, int columns);

} // namespace trainscope::store
