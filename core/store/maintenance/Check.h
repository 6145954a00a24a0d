#pragma once
// Looking for damage in a database.

#include "core/model/Import.h"
#include "core/store/Store.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

// SQLite's own check of the file, then every chunk and page is decoded and counted. An error only
// where the check itself could not be done.
Result<CheckReport> checkDatabase(Database& database, const Progress& progress);

} // namespace trainscope::store
