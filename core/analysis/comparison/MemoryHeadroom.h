#pragma once
// How much memory a run's GPUs have left, and the micro-batch that it allows. Used: the largest
// recorded sample of a GPU; where none was recorded, what model and layout need (MemoryNeed.h). A
// micro-batch more needs the activations of one more sample, an estimate either way.

#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/machine/MemoryNeed.h"

#include <optional>

namespace trainscope::analysis {

struct MemoryHeadroom {
    double capacity = 0.0; // B, of one GPU
    double used = 0.0;
    bool isUsedEstimated = false;
    std::optional<MemoryNeed> need; // of model and layout; absent: not known
    std::optional<int> microBatch; // the largest that is likely to fit and divides the batch
    [[nodiscard]] double free() const { return capacity - used; }
};

// Absent where the memory of the GPUs is not known, or neither use nor layout.
std::optional<MemoryHeadroom> memoryHeadroomOf(const RunMeasures& run);

} // namespace trainscope::analysis
