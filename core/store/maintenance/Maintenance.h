#pragma once
// Long work on a whole database: looking for damage, removing runs piece by piece, giving space
// back. Each shows how far it is and can be stopped.

#include "core/store/Values.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

// Visits samples, in source numbers, or spans, in order of start, to the last one that the
// catalogue says there is, else Unreadable.
Status readAll(Database& database, const Series& series,
    const std::function<Status(std::span<const std::int64_t>, std::span<const double>)>& visit);
Status readAll(Database& database, const Track& track,
    const std::function<Status(std::span<const Span>)>& visit);

// SQLite's own check of the file, then everything is decoded and counted. An error only
// where the check itself could not be done.
Result<CheckReport> checkDatabase(Database& database, const Progress& progress);

// Removes the run with its sources and the names that only they used; other runs of the same
// sources are what their remaining sources say. Part of the caller's transaction.
Status removeRun(Database& database, RunId run, const Progress& progress);

// See vacuum() in Writing.h.
Result<VacuumOutcome> vacuumDatabase(Database& database, const Progress& progress);

} // namespace trainscope::store
