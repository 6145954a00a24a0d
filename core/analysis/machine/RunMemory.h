#pragma once
// Memory need of a run's GPUs (MemoryNeed.h), from its launch configuration: for a larger
// micro-batch, for more layers on a stage, and where nothing was recorded.

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
    // Assumptions that make the run fit, where the configuration does not state them.
    bool takesShardedOptimizer = false;
    bool takesRecomputation = false;

    [[nodiscard]] double total(double microBatch) const {
        return states + buffers + microBatch * perSample;
    }
};

// Memory request of a launch configuration. By default: gradients in single precision,
// dropout with plain MLPs and none with gated ones, fused attention. Absent where the model, the
// sequence length or the micro-batch are not known.
std::optional<MemoryRequest> memoryRequestOf(
    const LaunchConfig& launch, const layout::Layout& layout);

// Needs of each stage, as the configuration states them. If one does not fit into `capacity`
// though the run did, a sharded optimizer or full recomputation is assumed, if the configuration is
// silent on these. Empty where it is not known.
std::vector<MemoryNeed> memoryNeedsOf(const LaunchConfig& launch, const layout::Layout& layout,
    std::optional<double> capacity = std::nullopt);

// Layers that fit into the memory of each stage's GPUs: an estimate from the need of a layer and
// the peak that the GPUs used.
struct StageMemory {
    std::vector<int> most; // by stage
    std::string wording; // for people: what it rests on, or that it was not checked
};

// With the highest mem_used of each stage where it was recorded; without it, and without the size
// of the memory or of the model, nothing is held against more layers.
StageMemory stageMemoryOf(const Run& run, const layout::Layout& layout,
    const std::vector<int>& layers, const RunSummary& summary);

} // namespace trainscope::analysis
