#pragma once
// How many layers fit into the memory of each stage's GPUs: an estimate. A layer needs its weights,
// gradients and optimizer states (18 B a weight with mixed-precision Adam, of which 12 are cut over
// the data-parallel ranks from ZeRO stage 1 on, all from stage 3 on; Rajbhandari et al. 2020) and
// its activations of the micro-batches in flight (34·s·b·h B, 2·s·b·h recomputed, divided by TP ×
// CP; Korthikanti et al. 2022). Pure; any thread.

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
