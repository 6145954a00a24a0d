#pragma once
// The rows that say where the samples of a series lie, and what they are together. Every function
// is part of the caller's transaction.

#include "core/store/database/Database.h"
#include "core/store/samples/SampleData.h"
#include "core/store/samples/SampleFigures.h"
#include "core/store/samples/SeriesPyramid.h"
#include "core/store/samples/TimeShare.h"

namespace trainscope::store {

Status insertChunk(Database& database, SeriesId series, std::int64_t firstIndex,
    const SampleFigures& figures, DataPlace values, const TimeShare::Places& times);

// Count, range and figures of the whole series.
Status updateSeries(Database& database, const SeriesShape& series, const SampleFigures& all);

} // namespace trainscope::store
