#include "core/analysis/machine/KeptNumbers.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr double kSingleBytes = 4.0; // B
constexpr double kHalf = 2.0;

struct NumberType {
    std::string_view name;
    double bytes = 0.0;
};
// The first of each width is the one that is written.
constexpr auto kNumberTypes = std::to_array<NumberType>(
    {{"fp32", kSingleBytes}, {"float32", kSingleBytes}, {"32", kSingleBytes}, {"bf16", kHalf},
        {"fp16", kHalf}, {"bfloat16", kHalf}, {"float16", kHalf}, {"16", kHalf}, {"fp8", 1.0},
        {"int8", 1.0}, {"uint8", 1.0}, {"none", 0.0}});

struct KeptKey {
    std::string_view key;
    std::optional<double> KeptNumbers::*member;
};
constexpr auto kKeptKeys = std::to_array<KeptKey>(
    {{"weights", &KeptNumbers::weights}, {"gradients", &KeptNumbers::gradients},
        {"states", &KeptNumbers::states}, {"master", &KeptNumbers::master},
        {"attention", &KeptNumbers::attention}, {"function", &KeptNumbers::function}});

// Words that a scheme is called by, before the product's type or behind it.
struct SchemeWord {
    std::string_view word;
    KeptNumbers (*kept)(double product);
};
KeptNumbers pureOf(double product) {
    return {product, product, product, 0.0, {}, {}};
}
KeptNumbers autocastOf(double /*product*/) {
    return {kSingleBytes, kSingleBytes, kSingleBytes, 0.0, {}, {}};
}
KeptNumbers masterOf(double product) {
    return {product, product, kSingleBytes, kSingleBytes, {}, {}};
}
KeptNumbers usualOf(double /*product*/) {
    return {};
}
constexpr auto kSchemes = std::to_array<SchemeWord>({{"pure", pureOf}, {"true", pureOf},
    {"autocast", autocastOf}, {"amp", autocastOf}, {"master", masterOf}, {"mixed", usualOf}});

std::optional<double> bytesOfType(std::string_view name) {
    const auto* const found = std::ranges::find(kNumberTypes, name, &NumberType::name);
    return found == kNumberTypes.end() ? std::nullopt : std::optional(found->bytes);
}

std::string_view nameOfType(double bytes) {
    const auto* const found = std::ranges::find(kNumberTypes, bytes, &NumberType::bytes);
    return found == kNumberTypes.end() ? std::string_view("fp32") : found->name;
}

const SchemeWord* schemeOf(std::string_view word) {
    const auto* const found = std::ranges::find(kSchemes, word, &SchemeWord::word);
    return found == kSchemes.end() ? nullptr : &*found;
}

std::string usualNameOf(std::string_view product) {
    if (product == "bfloat16")
        return "bf16";
    if (product == "float16" || product == "half" || product == "16")
        return "fp16";
    if (product == "float32" || product == "float" || product == "single" || product == "32")
        return "fp32";
    return std::string(product);
}

// "bf16-pure", "amp_bf16", "bf16": a type with a scheme on either side.
void takeProduct(std::string_view part, StatedNumbers& stated) {
    stated.product = usualNameOf(part);
    const std::size_t cut = part.find_first_of("-_ ");
    if (cut == std::string_view::npos)
        return;
    const std::string_view before = part.substr(0, cut);
    const std::string_view behind = part.substr(cut + 1);
    const SchemeWord* const first = schemeOf(before);
    const SchemeWord* const scheme = first != nullptr ? first : schemeOf(behind);
    if (scheme == nullptr)
        return;
    stated.product = usualNameOf(first != nullptr ? behind : before);
    stated.kept = scheme->kept(bytesOfType(stated.product).value_or(kHalf));
}

Status takeKept(std::string_view part, KeptNumbers& kept) {
    const std::size_t equals = part.find('=');
    const std::string_view key = trainscope::trimmed(part.substr(0, equals));
    const auto bytes = equals == std::string_view::npos
        ? std::nullopt
        : bytesOfType(trainscope::trimmed(part.substr(equals + 1)));
    for (const KeptKey& one : kKeptKeys) {
        if (one.key != key || !bytes)
            continue;
        kept.*one.member = bytes;
        return {};
    }
    return usageError(
        fmt::format("\"{}\" says no type of numbers: weights, gradients, states, master, "
                    "attention and function are kept in fp32, bf16, fp16, fp8 or "
                    "none, as in bf16,weights=fp32,master=none.",
            part));
}

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

void KeptNumbers::applyTo(NumberWidths& widths) const {
    const double masterBefore = std::max(0.0, widths.optimizer - 2.0 * kSingleBytes);
    if (weights) // copies in fewer bits, along rows and columns, are beside them
        widths.weight = *weights <= widths.product
            ? widths.product
            : *weights + (widths.product < kHalf ? 2.0 * widths.product : 0.0);
    widths.attention = attention.value_or(widths.attention);
    widths.function = function.value_or(widths.function);
    widths.gradient = gradients.value_or(widths.gradient);
    if (!states && !master)
        return;
    widths.optimizer = 2.0 * states.value_or(kSingleBytes) + master.value_or(masterBefore);
}

Result<StatedNumbers> statedNumbersFrom(std::string_view precision) {
    StatedNumbers stated;
    const std::string words = lowered(trainscope::trimmed(precision));
    std::string_view rest = words;
    bool isFirst = true;
    while (!rest.empty()) {
        const std::size_t end = rest.find(',');
        const std::string_view part = trainscope::trimmed(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (isFirst && part.find('=') == std::string_view::npos)
            takeProduct(part, stated);
        else
            RETURN_IF_ERROR(takeKept(part, stated.kept));
        isFirst = false;
    }
    return stated;
}

std::string textOf(const KeptNumbers& kept, double productBytes) {
    if (kept.isUsual())
        return {};
    constexpr std::array<std::string_view, 3> kWritten{"pure", "autocast", "master"};
    for (const std::string_view word : kWritten) {
        if (schemeOf(word)->kept(productBytes) == kept)
            return "-" + std::string(word);
    }
    std::string text;
    for (const KeptKey& one : kKeptKeys) {
        if (const auto& bytes = kept.*one.member)
            text += fmt::format(",{}={}", one.key, nameOfType(*bytes));
    }
    return text;
}

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
