#pragma once
// What a run needs of its GPUs' memory (MemoryNeed.h), from its launch configuration: asked for a
// larger micro-batch, for more layers on a stage, and where nothing was recorded.

#include "core/analysis/machine/MemoryNeed.h"
#include "core/analysis/statistics/Summary.h"
#include "core/layout/Layout.h"
#include "core/model/Run.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

// On a pipeline stage, by what grows with the micro-batch and what does not.
struct MemoryNeed {
    double states = 0.0; // B of weights, gradients and optimizer
    double buffers = 0.0; // B that are neither states nor of a sample
    double perSample = 0.0; // B that a sample of the micro-batch takes
    double perLayer = 0.0; // B of each of the stage's layers, of the states and of perSample
    // What the configuration does not state and was taken so that the run fits.
    bool takesShardedOptimizer = false;
    bool takesRecomputation = false;

    [[nodiscard]] double total(double microBatch) const {
        return states + buffers + microBatch * perSample;
    }
};

// What a launch configuration asks of memory: without more said, gradients in single precision,
// dropout with plain MLPs and none with gated ones, fused attention. Absent where the model, the
// sequence length or the micro-batch are not known.
std::optional<MemoryRequest> memoryRequestOf(
    const LaunchConfig& launch, const layout::Layout& layout);

// Of each stage, as the configuration states it; where one of them does not fit into `capacity`
// though the run did, with a sharded optimizer or full recomputation where the configuration is
// silent on these. Empty where it is not known.
std::vector<MemoryNeed> memoryNeedsOf(const LaunchConfig& launch, const layout::Layout& layout,
    std::optional<double> capacity = std::nullopt);

// How many layers fit into the memory of each stage's GPUs: an estimate by what a layer needs
// beside the most that the GPUs used.
struct StageMemory {
    std::vector<int> most; // by stage
    std::string wording; // for people: what it rests on, or that it was not checked
};

// With the highest mem_used of each stage where it was recorded; without it, and without the size
// of the memory or of the model, nothing is held against more layers.
StageMemory stageMemoryOf(const Run& run, const layout::Layout& layout,
    const std::vector<int>& layers, const RunSummary& summary);

} // namespace trainscope::analysis
