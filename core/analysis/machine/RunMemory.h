#pragma once
// Memory of a run's GPUs. Its need (MemoryNeed.h) follows from the launch configuration: for a
// larger micro-batch, for more layers on a stage, and where nothing was recorded. Beside it stands
// what its processes took of PyTorch's allocator: by memory snapshots, and by the memory events of
// profilers, with what each iteration allocates. Sizes are B.

#include "core/analysis/machine/AllocatorMemory.h"
#include "core/analysis/machine/MemoryNeed.h"
#include "core/analysis/statistics/Summary.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

// Rises of the allocated bytes in an iteration.
struct StepAllocations {
    std::int64_t index = 0; // number of the iteration
    TimeRange range;
    std::int64_t count = 0;
    double bytes = 0.0;
    double peak = 0.0; // most allocated meanwhile
};

struct DeviceMemory {
    int rank = 0;
    std::string device; // name, if the rank has several; else empty
    double peakAllocated = 0.0;
    TimeNs peakTime;
    std::optional<double> reservedThen; // at the peak
    std::optional<double> peakReserved;
    std::vector<StepAllocations> steps; // without those that lie outside of the recording
    std::optional<AllocatorRecord> record; // from a snapshot
    std::optional<StageNeed> predicted; // absent: model, layout or batch is not known
};

// By rank and device; empty where nothing was recorded. Cancelled by progress.
Result<std::vector<DeviceMemory>> measuredMemoryOf(const RunStudy& study);

// The parts of a predicted need that are of that use; absent for those that are none of it.
std::optional<double> predictedOf(const StageNeed& need, MemoryUse use);

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
