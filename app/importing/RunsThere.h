#pragma once
// Brings the sources of an import to the runs that a database has of the same machine and time, as
// they are brought to each other.

#include "core/model/Import.h"
#include "importers/registry/OneMachine.h"

#include <filesystem>
#include <vector>

namespace trainscope::app {

// `units`: of all plans of the import. Nothing of the database is looked at where it is not there
// or cannot be read, which its import tells. Cancelled by progress.
void joinRunsThere(std::vector<importers::PlannedUnit> units, const std::filesystem::path& database,
    const Progress& progress);

} // namespace trainscope::app
