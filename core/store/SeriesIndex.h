#pragma once
// What is derived from the chunks of a series once they are written: its pyramid and its row of
// figures.

#include "core/store/BucketQuery.h"
#include "core/store/Database.h"

namespace trainscope::store {

// Writes the pages of the pyramid (for counters also that of their rate) and updates the series'
// row.
Status indexSeries(Database& database, const SeriesShape& series);

} // namespace trainscope::store
