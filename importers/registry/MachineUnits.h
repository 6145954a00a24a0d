#pragma once
// Finds the runs that a topology describes: those that lie in its folder or below, else in the
// nearest folder above that has any.

#include "importers/common/Importer.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers {

// Fills machine->runs and a note that names them. Where several describe one run, the others are
// switched off, with a note that says so.
void joinMachinesToRuns(std::vector<ImportUnit>& units);

// Names of the runs with files in the folder or below; descriptions of machines are no runs.
std::set<std::string> runsInside(const std::vector<ImportUnit>& units, std::string_view folder);

} // namespace trainscope::importers
