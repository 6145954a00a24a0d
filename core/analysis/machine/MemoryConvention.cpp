#include "core/analysis/machine/MemoryConvention.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>

namespace trainscope::analysis {

namespace {

// The first is that of unknown names. Megatron-Bridge and NeMo reduce gradients in 16 bits (their
// performance recipes), GPT-NeoX keeps them so (DeepSpeed's fp16), composer and torchtitan train
// with PyTorch's FSDP. NeMo's optimizer keeps of the weights in single precision what those in 16
// bits lack (store_param_remainders). Losses: Transformer Engine's and flash-attention's write the
// gradient over the logits.
constexpr std::array kConventions{
    MemoryConvention{"megatron-lm", 4.0, 12.0, false, false, LossKernel::VocabParallel},
    MemoryConvention{"megatron-bridge", 2.0, 12.0, false, false, LossKernel::InPlace},
    MemoryConvention{"nemo", 2.0, 10.0, false, false, LossKernel::VocabParallel},
    MemoryConvention{"gpt-neox", 2.0, 12.0, false, false, LossKernel::VocabParallel},
    MemoryConvention{"mosaic", 4.0, 12.0, true, false, LossKernel::InPlace},
    MemoryConvention{"torchtitan", 4.0, 12.0, true, true, LossKernel::Separate},
};

Gathering gatheringOf(const MemoryConvention& convention, const MemoryRequest& request) {
    if (!request.layout.sharding || request.layout.sharding->zeroStage < 3)
        return Gathering::None;
    const bool hasPipeline = request.layout.grid.degrees().pipeline > 1;
    return convention.hasFsdpShards && hasPipeline ? Gathering::Step : Gathering::Layer;
}

} // namespace

const MemoryConvention& memoryConventionOf(std::string_view software) {
    const std::string name = lowered(software);
    const auto* const found = std::find_if(kConventions.begin(), kConventions.end(),
        [&](const MemoryConvention& one) { return name.starts_with(one.software); });
    return found == kConventions.end() ? kConventions.front() : *found;
}

void follow(const MemoryConvention& convention, MemoryRequest& request) {
    request.widths.gradient = convention.gradient;
    request.widths.optimizer = convention.optimizer;
    if (convention.hasFsdpShards)
        request.widths = request.widths.asFsdp();
    if (convention.keepsProductsIn16Bits)
        request.widths.product = request.widths.activation;
    request.loss = convention.loss;
    const bool isDivided = request.layout.grid.degrees().tensor > 1;
    if (convention.loss == LossKernel::Separate && isDivided)
        request.loss = LossKernel::SeparateParallel;
    if (request.gathering == Gathering::None)
        request.gathering = gatheringOf(convention, request);
}

} // namespace trainscope::analysis
