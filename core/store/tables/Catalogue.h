#pragma once
// Reading the plain tables of runs, their series and tracks, sources and names.

#include "core/store/database/Database.h"
#include "core/store/samples/SeriesPyramid.h"

namespace trainscope::store {

Result<std::vector<Run>> readRuns(
    Database& database, std::string_view name = {}); // empty: all, else those of that name
// Rows of a run, or those that one source says of it.
Result<std::vector<Gpu>> readGpus(Database& database, RunId run, SourceId source = {});
Result<std::vector<Series>> readSeries(Database& database, RunId run, SourceId source = {});
Result<std::vector<Track>> readTracks(Database& database, RunId run, SourceId source = {});
Result<std::vector<Iteration>> readIterations(Database& database, RunId run, SourceId source = {});
Result<std::vector<Capture>> readCaptures(Database& database, RunId run, SourceId source = {});
Result<std::string> readName(Database& database, NameId id);
Result<SeriesShape> readShape(Database& database, SeriesId series);
// Error for samples of a linked run (RunLinks.h), which are not in the file but at that engine.
Error linkedError(const std::string& location, const std::string& path);

} // namespace trainscope::store
