#include "core/predict/operators/Operator.h"

#include "core/model/EnumNames.h"

namespace trainscope::predict {

namespace {

constexpr auto kOperatorNames = enumNames<OperatorKind>({{OperatorKind::Embedding, "embedding"},
    {OperatorKind::LayerNorm, "layer_norm"}, {OperatorKind::RmsNorm, "rms_norm"},
    {OperatorKind::Gemm, "gemm"}, {OperatorKind::GroupedGemm, "grouped_gemm"},
    {OperatorKind::Rope, "rope"}, {OperatorKind::AttentionScores, "attention_scores"},
    {OperatorKind::Softmax, "softmax"}, {OperatorKind::AttentionValues, "attention_values"},
    {OperatorKind::FlashAttention, "flash_attention"},
    {OperatorKind::CachedAttention, "cached_attention"}, {OperatorKind::Gelu, "gelu"},
    {OperatorKind::Swiglu, "swiglu"}, {OperatorKind::Residual, "residual"},
    {OperatorKind::Dropout, "dropout"}, {OperatorKind::Router, "router"},
    {OperatorKind::Permute, "permute"}, {OperatorKind::Cast, "cast"},
    {OperatorKind::CrossEntropy, "cross_entropy"}, {OperatorKind::Sampling, "sampling"},
    {OperatorKind::Optimizer, "optimizer"}});

// A shape of attention: half of the scores where each token sees those before it.
double shareOf(const Operator& work) {
    return work.isCausal ? 0.5 : 1.0;
}

double products(const Operator& work) {
    return 2.0 * work.batch * work.m * work.n * work.k;
}

// The tensors of a product, the inputs in its precision, the output in 16 bits or more.
double productBytes(const Operator& work) {
    const double input = bytesOf(work.precision);
    const double output = input > 2.0 ? input : 2.0;
    return work.batch * (input * (work.m * work.k + work.k * work.n) + output * work.m * work.n);
}

// A tensor of 16 bits of m × n, `passes` times over.
double passes(const Operator& work, double number) {
    return 2.0 * number * work.batch * work.m * work.n;
}

} // namespace

bool isStreamed(const Operator& work) {
    constexpr double kStreamedBelow = 256.0;
    const bool isProduct = work.kind == OperatorKind::Gemm || work.kind == OperatorKind::GroupedGemm
        || work.kind == OperatorKind::Router;
    return isProduct && work.m < kStreamedBelow;
}

std::string_view toString(OperatorKind kind) {
    return kOperatorNames.nameOf(kind);
}

Work forwardWork(const Operator& work) {
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
    case OperatorKind::AttentionScores: // computed over all s × s
    case OperatorKind::AttentionValues:
        return {products(work), productBytes(work)};
    case OperatorKind::FlashAttention: // QKᵀ and PV; queries, keys, values and their sum
        return {2.0 * products(work) * shareOf(work),
            2.0 * work.batch * (2.0 * work.m * work.n + 2.0 * work.k * work.n)};
    case OperatorKind::CachedAttention: // no query sees what is not there yet
        return {2.0 * products(work),
            2.0 * work.batch * (2.0 * work.m * work.n + work.k * work.cached)};
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::Gelu:
    case OperatorKind::Rope:
    case OperatorKind::Permute:
    case OperatorKind::Embedding:
        return {0.0, passes(work, 2.0)};
    case OperatorKind::Swiglu: // two in, one out
    case OperatorKind::Residual:
        return {0.0, passes(work, 3.0)};
    case OperatorKind::Dropout: // in, out and a mask of bytes
        return {0.0, passes(work, 2.5)};
    case OperatorKind::Cast: // 16 bits in, the product's precision out, as it is and transposed
        return {0.0, work.batch * work.m * work.n * (2.0 + 2.0 * bytesOf(work.precision))};
    case OperatorKind::CrossEntropy: // Megatron-LM: to 32 bits, largest, exponential, sum, share
        return {0.0, 14.0 * work.m * work.n};
    case OperatorKind::Sampling: // read; in 32 bits written, and read to choose one
        return {0.0, 10.0 * work.m * work.n};
    case OperatorKind::Optimizer:
        // Adam: gradient, master weight and two moments read, all but the gradient written, in 32
        // bits, and the weight in 16.
        return {0.0, 30.0 * work.m};
    }
    return {};
}

Work backwardWork(const Operator& work) {
    const Work forward = forwardWork(work);
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router: {
        const double times = work.hasFrozenWeights ? 1.0 : 2.0;
        return {times * forward.flop, times * forward.bytes};
    }
    case OperatorKind::AttentionScores:
    case OperatorKind::AttentionValues:
        return {2.0 * forward.flop, 2.0 * forward.bytes};
    case OperatorKind::FlashAttention: // five products for two: QKᵀ again, and four gradients
        return {2.5 * forward.flop, 2.0 * forward.bytes};
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::Gelu:
        return {0.0, passes(work, 3.0)};
    case OperatorKind::Swiglu:
        return {0.0, passes(work, 5.0)};
    case OperatorKind::Rope:
    case OperatorKind::Permute:
    case OperatorKind::Dropout:
    case OperatorKind::Embedding:
    case OperatorKind::Cast:
    case OperatorKind::Residual:
        return forward;
    case OperatorKind::CrossEntropy:
        return {0.0, 10.5 * work.m * work.n};
    case OperatorKind::CachedAttention:
    case OperatorKind::Sampling:
    case OperatorKind::Optimizer:
        return {};
    }
    return {};
}

} // namespace trainscope::predict
