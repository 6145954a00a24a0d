#pragma once
// How much memory a run's GPUs have left, and the micro-batch that it allows: an estimate.
//
// Used: the largest recorded sample of a GPU; where none was recorded, what model and layout need
// on the first pipeline stage:
//   states       2 B weights, 4 B gradients, 12 B optimizer per parameter (Rajbhandari et al. 2020,
//                gradients in single precision as Megatron-LM), the optimizer's share divided by
//                the data parallel degree from ZeRO 1 on, all of it from ZeRO 3 or FSDP on
//   activations  34·s·h/tp B per sample and layer (Korthikanti et al. 2022, with sequence
//                parallelism and attention recomputed or fused), 2·s·h/tp with full recomputation;
//                of min(p, m) micro-batches of L/p layers
// A micro-batch more needs the activations of one more sample.

#include "core/analysis/comparison/RunMeasures.h"

#include <optional>
#include <string>

namespace trainscope::analysis {

struct MemoryHeadroom {
    double capacity = 0.0; // B, of one GPU
    double used = 0.0;
    bool isUsedEstimated = false;
    std::optional<int> microBatch; // the largest that is likely to fit and divides the batch
    [[nodiscard]] double free() const { return capacity - used; }
};

// Absent where the memory of the GPUs is not known, or neither use nor layout.
std::optional<MemoryHeadroom> memoryHeadroomOf(const RunMeasures& run);

} // namespace trainscope::analysis
