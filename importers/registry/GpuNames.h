#pragma once
// The model of GPUs that no source of a run names, from the other files of its folder: logs of the
// training often print it.

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers {

// Fills gpuBeside of the units without a model, where the files of their folder that are none of
// their own agree on one. Looks at the first 64 KiB of 24 files of a folder at most.
void findGpuNames(const SourceTree& tree, std::vector<ImportUnit>& units);

} // namespace trainscope::importers
