#pragma once
// Finds the runs that a topology describes: those that lie in its folder or below, else in the
// nearest folder above that has any.

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers {

// Fills machine->runs and a note that names them. Where several describe one run, the others are
// switched off, with a note that says so.
void joinMachinesToRuns(std::vector<ImportUnit>& units);

} // namespace trainscope::importers
