#pragma once
// The pyramid of a series, derived from its chunks once they are written.

#include "core/store/database/Database.h"
#include "core/store/samples/BucketQuery.h"
#include "core/store/samples/SampleData.h"

#include <functional>

namespace trainscope::store {

// Writes the pages of the pyramid, for counters also those of their rate. `proceed` is asked
// between pieces of work with the samples done and to do; false stops with Cancelled.
using IndexProceed = std::function<bool(std::uint64_t done, std::uint64_t total)>;
Status indexSeries(
    Database& database, DataWriter& data, const SeriesShape& series, const IndexProceed& proceed);

} // namespace trainscope::store
