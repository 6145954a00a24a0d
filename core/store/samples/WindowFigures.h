#pragma once
// The answers of a store that come from the samples of a series, not from its pyramid; see Store.h.

#include "core/store/Values.h"
#include "core/store/database/Database.h"
#include "core/store/samples/SeriesPyramid.h"

namespace trainscope::store {

Result<std::optional<double>> queryValueAt(Database& database, const SeriesShape& series, TimeNs t);
Result<std::optional<Sample>> queryLastBefore(
    Database& database, const SeriesShape& series, TimeNs t);
Result<WindowStatistics> queryStatistics(
    Database& database, const SeriesShape& series, TimeRange window);
Status visitSamples(
    Database& database, const SeriesShape& series, TimeRange window, const SampleVisitor& visit);

} // namespace trainscope::store
