#pragma once
// Reading the plain tables of runs, their series and tracks, sources and names.

#include "core/model/Capture.h"
#include "core/model/Run.h"
#include "core/model/Series.h"
#include "core/model/Span.h"
#include "core/store/Values.h"
#include "core/store/database/Database.h"
#include "core/store/samples/SeriesPyramid.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::store {

Result<std::vector<Run>> readRuns(Database& database);
Result<std::vector<Series>> readSeries(Database& database, RunId run);
Result<std::vector<Track>> readTracks(Database& database, RunId run);
// Rows of one source about a run; whatever other sources say of it is not read.
Result<std::vector<Series>> seriesOf(Database& database, SourceId source, RunId run);
Result<std::vector<Track>> tracksOf(Database& database, SourceId source, RunId run);
Result<std::vector<Gpu>> gpusOf(Database& database, SourceId source, RunId run);
Result<std::vector<Iteration>> iterationsOf(Database& database, SourceId source, RunId run);
Result<std::vector<Capture>> capturesOf(Database& database, SourceId source, RunId run);
Result<std::string> readName(Database& database, NameId id);
Result<SeriesShape> readShape(Database& database, SeriesId series);
// Error for samples of a linked run (RunLinks.h), which are not in the file but at that engine.
Error linkedError(const std::string& location, const std::string& path);

} // namespace trainscope::store
