#pragma once
// Sums that the database keeps of a run's traces: those over their slices
// (core/analysis/traces/TraceSums.h) and the call trees of the ranks. Blocking; for a worker.
// Cancelled by progress, and then nothing changes.

#include "core/analysis/RunStudy.h"
#include "core/store/KeptSums.h"

namespace trainscope::analysis {

// All of it, for store::keepSums().
Result<store::KeptSums> sumsToKeep(const RunStudy& study);
Status keepSums(store::Store& store, const Run& run, const Progress& progress = {});

// Only the call trees: an import ends with them. The other sums are still lacking.
Status keepCallTrees(store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
