#include "core/predict/prediction/Prediction.h"

#include <array>
#include <string_view>

namespace trainscope::predict {

namespace {

// What software keeps of gradients and logits, by how its name begins.
struct MemoryHabits {
    std::string_view stack;
    double gradient = 4.0; // B
    analysis::LossKernel loss = analysis::LossKernel::VocabParallel;
};
constexpr std::array kMemoryHabits{
    MemoryHabits{"megatron-bridge", 2.0, analysis::LossKernel::InPlace},
    MemoryHabits{"nemo", 2.0, analysis::LossKernel::VocabParallel},
    MemoryHabits{"gpt-neox", 2.0, analysis::LossKernel::VocabParallel},
    MemoryHabits{"mosaic", 4.0, analysis::LossKernel::InPlace},
    MemoryHabits{"torchtitan", 4.0, analysis::LossKernel::Separate},
};

analysis::Recomputation recomputationOf(Recompute recompute) {
    switch (recompute) {
    case Recompute::None:
        return analysis::Recomputation::None;
    case Recompute::Selective:
        return analysis::Recomputation::Selective;
    case Recompute::PerOperator:
        return analysis::Recomputation::PerOperator;
    case Recompute::Full:
        break;
    }
    return analysis::Recomputation::Full;
}

} // namespace

analysis::MemoryRequest memoryRequestOf(const Job& job) {
    analysis::MemoryRequest request{.model = job.model, .layout = job.layout};
    request.workload = job.workload;
    request.sequence = job.sequence;
    request.microBatch = job.microBatch;
    request.widths = analysis::widthsOf(toString(job.precision));
    request.sequenceParallel = job.sequenceParallel;
    request.unfusedAttention = job.attention == AttentionKind::Unfused;
    request.dropout = job.attentionDropout;
    request.recompute = recomputationOf(job.recompute);
    request.recomputedLayers = job.recomputedLayers;
    for (const MemoryHabits& habits : kMemoryHabits) {
        if (job.stack.starts_with(habits.stack)) {
            request.widths.gradient = habits.gradient;
            request.loss = habits.loss;
        }
    }
    const int zeroStage = job.layout.sharding ? job.layout.sharding->zeroStage : 0;
    if (zeroStage >= 2) {
        request.widths = request.widths.asFsdp();
        request.gathering
            = zeroStage >= 3 ? analysis::Gathering::Layer : analysis::Gathering::Backward;
    }
    return request;
}

} // namespace trainscope::predict
