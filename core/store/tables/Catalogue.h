#pragma once
// Reading the plain tables.

#include "core/store/Store.h"
#include "core/store/database/Database.h"
#include "core/store/samples/BucketQuery.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::store {

Result<std::vector<Run>> readRuns(Database& database);
Result<std::vector<Gpu>> readGpus(Database& database, RunId run);
Result<std::vector<Series>> readSeries(Database& database, RunId run);
Result<std::vector<Track>> readTracks(Database& database, RunId run);
Result<std::vector<Iteration>> readIterations(Database& database, RunId run);
Result<std::vector<Source>> readSources(Database& database);
Result<std::string> readName(Database& database, NameId id);
Result<std::vector<std::pair<NameId, std::string>>> readNames(Database& database, RunId run);
// "4,5,6,7,0,1,2,3" in the cluster's row.
Result<std::vector<int>> readAirflow(Database& database, RunId run);
Status writeAirflow(Database& database, RunId run, std::span<const int> order);
Result<SeriesShape> readShape(Database& database, SeriesId series);

std::string_view toText(SubjectKind kind); // "gpu", "node", "link"
std::string_view toText(SensorKind kind); // "unknown", "instant", "averaged"

} // namespace trainscope::store
