#pragma once
// The runs that an import made, a line for each, the result first.

#include "app/importing/ImportRunner.h"
#include "core/text/Table.h"

namespace trainscope::app {

// Steps, GPUs, time and energy of the runs that got something, and from how many files. Reads the
// power of these runs, of which the import kept no sums. Fails where the database cannot be read.
// Cancelled by progress.
Result<text::Table> importedRuns(const std::vector<UnitOutcome>& outcomes,
    const std::filesystem::path& database, const Progress& progress);

} // namespace trainscope::app
