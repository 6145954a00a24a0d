#pragma once
// Brings the sources of an import to the runs that a database has of the same machine and time, as
// they are brought to each other.

#include "core/model/Import.h"
#include "core/store/Store.h"
#include "importers/registry/OneMachine.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainscope::app {

// `units`: of all plans of the import. Nothing of the database is looked at where it is not there
// or cannot be read, which its import tells. Cancelled by progress.
void joinRunsThere(std::vector<importers::PlannedUnit> units, const std::filesystem::path& database,
    const Progress& progress);

// The same for the runs of another database that is merged: which run of `into` each becomes, of
// those that `nameOf` leaves their names. `remarks` gets a sentence for each that is another's.
std::function<std::string(const Run&)> joinRunsOf(const store::Store& from,
    const store::Store& into, std::function<std::string(const Run&)> nameOf,
    std::vector<std::string>& remarks, const Progress& progress);

} // namespace trainscope::app
