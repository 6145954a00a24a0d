#pragma once
// What belongs to a source, and the runs as the sum of what their sources say. Every function is
// part of the caller's transaction.

#include "core/model/Run.h"
#include "core/store/Database.h"

#include <string>
#include <vector>

namespace trainscope::store {

// Deletes everything that the source had written; returns the runs it belonged to, which need
// refreshRun().
Result<std::vector<RunId>> deleteSource(Database& database, SourceId source);

// Computes the run's row, launch, cluster and GPUs from its sources; a run without sources goes,
// with all of it.
Status refreshRun(Database& database, RunId run);

// The run whose imported name this is, else whose shown name; created when there is none.
Result<RunId> findOrAddRun(Database& database, const std::string& name);

Status deleteRun(Database& database, RunId run);

// Sources with that path, or with that hash in that run; `except` is left out.
Result<std::vector<SourceId>> sourcesAt(
    Database& database, const std::string& path, SourceId except);
Result<std::vector<SourceId>> sourcesLike(
    Database& database, const std::string& hash, RunId run, SourceId except);

} // namespace trainscope::store
