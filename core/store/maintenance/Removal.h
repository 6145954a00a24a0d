#pragma once
// Removing runs piece by piece, so that long removals show how far they are and can be stopped.

#include "core/model/Import.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

// Removes the run with its sources and the names that only they used; other runs of the same
// sources are what their remaining sources say. Part of the caller's transaction.
Status removeRun(Database& database, RunId run, const Progress& progress);

} // namespace trainscope::store
