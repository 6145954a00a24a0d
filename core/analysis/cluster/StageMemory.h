#pragma once
// How many layers fit into the memory of each stage's GPUs: an estimate by what a layer needs
// (MemoryNeed.h) beside the most that the GPUs used. Pure; any thread.

#include "core/analysis/statistics/Summary.h"
#include "core/layout/Layout.h"

#include <string>
#include <vector>

namespace trainscope::analysis {

struct StageMemory {
    std::vector<int> most; // by stage
    std::string wording; // for people: what it rests on, or that it was not checked
};

// With the highest mem_used of each stage where it was recorded; without it, and without the size
// of the memory or of the model, nothing is held against more layers.
StageMemory stageMemoryOf(const Run& run, const layout::Layout& layout,
    const std::vector<int>& layers, const RunSummary& summary);

} // namespace trainscope::analysis
