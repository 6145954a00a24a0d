#pragma once
// Names the runs of a plan: by the shortest end of its path that no other run has, "lr1e-4/run_1"
// beside "lr3e-4/run_1".

#include "importers/common/Importer.h"

namespace trainscope::importers {

// Runs whose names are paths of their files or folders get shorter ones, here and in notes. A name
// that only numbers attempts (run_1, attempt 2, node0) keeps the folder above, which says of what.
// Runs of CharLLM-PPT trees keep their whole path.
void nameRuns(const SourceTree& tree, std::vector<ImportUnit>& units);

// The same with so many parts at least of each name.
void shortenNames(std::vector<ImportUnit>& units, std::map<std::string, int> parts);

} // namespace trainscope::importers
