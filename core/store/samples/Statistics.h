#pragma once
// Figures of a series that need its samples, not its pyramid.

#include "core/store/Store.h"
#include "core/store/database/Database.h"
#include "core/store/samples/BucketQuery.h"

namespace trainscope::store {

// See Store.
Result<std::optional<double>> queryValueAt(Database& database, const SeriesShape& series, TimeNs t);
Result<std::optional<Store::Sample>> queryLastBefore(
    Database& database, const SeriesShape& series, TimeNs t);
Result<WindowStatistics> queryStatistics(
    Database& database, const SeriesShape& series, TimeRange window);
Status visitSamples(Database& database, const SeriesShape& series, TimeRange window,
    const Store::SampleVisitor& visit);

} // namespace trainscope::store
