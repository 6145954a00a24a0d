#include "core/analysis/machine/MemoryConvention.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>

namespace trainscope::analysis {

namespace {

// The first is that of unknown names. Megatron-Bridge and NeMo reduce gradients in 16 bits (their
// performance recipes), GPT-NeoX keeps them so (DeepSpeed's fp16); NeMo's distributed Adam keeps of
// the weights in 32 bits those 16 that they lack. MLPerf submissions of NeMo keep frozen weights in
// FP8 alone (fp8_params), attend in FP8 (FP8_DPA) and overlap tensor-parallel exchanges by user
// buffers, estimated to be eight. DeepSeek-V3 has moments in 16 bits beside weights and gradients
// in 32, keeps what functions of MLPs take in 8 bits and what attention gives in 12 (E5M6; arXiv
// 2412.19437, section 3.3); that it weighs inside of experts is taken. Composer and torchtitan
// train with PyTorch's FSDP. Losses: Transformer Engine's and flash-attention's write the gradient
// over the logits.
constexpr auto kConventions = std::to_array<MemoryConvention>({
    {.software = "megatron-lm"},
    {.software = "megatron-bridge",
        .gradient = 2.0,
        .loss = LossKernel::InPlace,
        .weighsInsideExperts = true},
    {.software = "nemo", .gradient = 2.0, .optimizer = 10.0},
    {.software = "mlperf",
        .gradient = 2.0,
        .loss = LossKernel::InPlace,
        .keepsFrozenNarrow = true,
        .userBuffers = 8.0},
    {.software = "deepseek",
        .optimizer = 8.0,
        .weighsInsideExperts = true,
        .attention = 1.5,
        .function = 1.0},
    {.software = "gpt-neox", .gradient = 2.0},
    {.software = "mosaic", .loss = LossKernel::InPlace, .hasFsdpShards = true},
    {.software = "torchtitan",
        .loss = LossKernel::Separate,
        .hasFsdpShards = true,
        .keepsProductsIn16Bits = true},
    {.software = "pytorch-compiled",
        .loss = LossKernel::Plain,
        .hasFsdpShards = true,
        .keepsProductsIn16Bits = true,
        .kernels = Kernels::Compiled},
    {.software = "pytorch",
        .loss = LossKernel::Plain,
        .hasFsdpShards = true,
        .keepsProductsIn16Bits = true,
        .kernels = Kernels::Eager},
});

constexpr int kGradients = 2; // ZeRO stages
constexpr int kEverything = 3;

Gathering gatheringOf(const MemoryConvention& convention, const MemoryRequest& request) {
    if (!request.layout.sharding || request.layout.sharding->zeroStage < kEverything)
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
    NumberWidths& widths = request.widths;
    widths.gradient = convention.gradient;
    if (widths.weight < widthsOf("fp32").weight)
        widths.optimizer = convention.optimizer;
    if (convention.hasFsdpShards)
        widths = widths.asFsdp();
    if (convention.keepsProductsIn16Bits)
        widths.product = widths.activation;
    request.userBuffers = convention.userBuffers;
    if (convention.keepsFrozenNarrow && request.workload == Workload::Lora
        && widths.product < widths.activation)
        widths.weight = widths.attention = widths.product;
    if (widths.product < widths.activation) {
        widths.attention = convention.attention.value_or(widths.attention);
        widths.function = convention.function.value_or(widths.function);
    }
    request.weighsInsideExperts = convention.weighsInsideExperts;
    request.loss = convention.loss;
    request.kernels = convention.kernels;
    const bool isDivided = request.layout.grid.degrees().tensor > 1;
    if (convention.loss == LossKernel::Separate && isDivided)
        request.loss = LossKernel::SeparateParallel;
    auto& sharding = request.layout.sharding;
    if (convention.hasFsdpShards && sharding && sharding->zeroStage == kGradients) {
        sharding->zeroStage = kEverything;
        request.gathering = Gathering::Backward;
    }
    if (request.gathering == Gathering::None)
        request.gathering = gatheringOf(convention, request);
}

} // namespace trainscope::analysis
