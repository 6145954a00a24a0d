#pragma once
// What model and layout need of a GPU's memory on a pipeline stage; the first is the fullest. An
// estimate from formulas: CUDA's own memory, buffers of NCCL and fragmentation are not in it, some
// GB.
//
//   states       Per parameter of the stage: weights 2 B, gradients 4 B, optimizer 12 B (fp32: 4, 4
//                and 8 B; Rajbhandari et al. 2020, gradients added up in single precision as
//                Megatron-LM does), the optimizer's divided by the data parallel degree from ZeRO 1
//                on, gradients from 2 on, weights from 3 on. Experts are divided by their own
//                degrees. Frozen weights (LoRA) and inference: the weights alone.
//   activations  Per token and layer, attention recomputed or fused (Korthikanti et al. 2022, by
//                parts so that grouped keys, gated MLPs and experts fit in):
//                  4h + 2h + 2h              inputs of the norms, of attention and of the MLP
//                  + 2h                      dropout masks, without gated MLPs
//                  + (2(q + 2k) + 2q)/t      queries, keys, values and what leaves attention
//                  + 4f/t, gated 6f/t        inside the MLP
//                which is 34h for GPT: (10h + 24h/t) B, with sequence parallelism 34h/t. With top-k
//                experts the MLP's part is k(4h + 4f/t') instead. Inputs of matrix products
//                take 1 B with fp8, all twice as much with fp32. s/cp tokens a sample. With full
//                recomputation 2h (/t with sequence parallelism) a layer, and all of it for one.
//   in flight    min(p − stage, m) micro-batches (GPipe: m), interleaved (1 + (p−1)/(p·v)) times
//                that.
//   logits       6 B for each token and word of the vocabulary, /t, without a pipeline.
//   caches       inference: keys and values, 4k/t B per token and layer, and one layer.

#include "core/analysis/statistics/Summary.h"
#include "core/layout/Layout.h"
#include "core/model/Run.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct MemoryNeed {
    double states = 0.0; // B
    double perSample = 0.0; // B that a sample of the micro-batch takes
    double perLayer = 0.0; // B of each of the stage's layers, of the states and of perSample
    // What the configuration does not state and was taken so that the run fits.
    bool takesShardedOptimizer = false;
    bool takesRecomputation = false;

    [[nodiscard]] double total(double microBatch) const { return states + microBatch * perSample; }
};

// As the configuration states it; where that does not fit into `capacity` though the run did, with
// a sharded optimizer or full recomputation where the configuration is silent on these. Absent
// where the model, the sequence length or the micro-batch are not known.
std::optional<MemoryNeed> memoryNeedOf(const LaunchConfig& launch, const layout::Layout& layout,
    int stage = 0, std::optional<double> capacity = std::nullopt);

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
