#pragma once
// Giving the space of what was removed back to the file system.

#include "core/model/Import.h"
#include "core/store/Store.h"
#include "core/store/database/Database.h"

namespace trainscope::store {

// Writes a compact copy beside the file and puts its pages back in one transaction: whoever has the
// database open keeps reading, and until the end nothing has changed. Needs free space for the copy
// and for the transaction, twice what is in use.
Result<VacuumOutcome> vacuumDatabase(
    Database& database, const std::filesystem::path& path, const Progress& progress);

} // namespace trainscope::store
