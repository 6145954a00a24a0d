#include "core/predict/operators/Operator.h"

namespace trainscope::predict {

namespace {

// A shape of attention: half of the scores where each token sees those before it.
double shareOf(const Operator& work) {
    return work.isCausal ? 0.5 : 1.0;
}

// A product, the inputs in its precision, the output in 16 bits or more.
Work productOf(const Operator& work) {
    const double input = bytesOf(work.precision);
    const double output = input > 2.0 ? input : 2.0;
    return work::product({work.batch, work.m, work.n, work.k}, {input, input, output});
}

// A tensor of 16 bits of m × n, `number` times over.
Work passes(const Operator& work, double number) {
    return work::elementwise(work.batch * work.m * work.n, 0.0, 2.0 * number);
}

work::AttentionSize attentionSize(const Operator& work) {
    return {work.batch, 1.0, 1.0, work.m, work.k, work.n, work.n};
}

double attendedPairs(const Operator& work) {
    return work.m * work.k * shareOf(work);
}

} // namespace

bool isStreamed(const Operator& work) {
    constexpr double kStreamedBelow = 256.0;
    const bool isProduct = work.kind == OperatorKind::Gemm || work.kind == OperatorKind::GroupedGemm
        || work.kind == OperatorKind::Router;
    return isProduct && work.m < kStreamedBelow;
}

Work forwardWork(const Operator& work) {
    if (work.isOfBytes())
        return {0.0, work.batch * work.m * work.n * work.moved};
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
    case OperatorKind::AttentionScores: // computed over all s × s
    case OperatorKind::AttentionValues:
        return productOf(work);
    case OperatorKind::FlashAttention:
        return work::attention(attentionSize(work), attendedPairs(work), 2.0);
    case OperatorKind::CachedAttention: { // no query sees what is not there yet
        const Work whole = work::attention(attentionSize(work), work.m * work.k, 2.0);
        return {whole.flop, 2.0 * work.batch * (2.0 * work.m * work.n + work.k * work.cached)};
    }
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::Gelu:
    case OperatorKind::Rope:
    case OperatorKind::Permute:
        return passes(work, 2.0);
    case OperatorKind::Embedding:
        return work::gatheredRows(work.batch * work.m * work.n, 2.0);
    case OperatorKind::Swiglu: // two in, one out
    case OperatorKind::Residual:
        return passes(work, 3.0);
    case OperatorKind::Dropout: // in, out and a mask of bytes
        return passes(work, 2.5);
    case OperatorKind::Cast: // 16 bits in, the product's precision out, as it is and, for the
                             // gradient of weights, transposed
        return work::elementwise(work.batch * work.m * work.n, 0.0,
            2.0 + (work.hasFrozenWeights ? 1.0 : 2.0) * bytesOf(work.precision));
    case OperatorKind::CrossEntropy:
        return work::onlyBytes(work::unfusedCrossEntropy(work.m * work.n));
    case OperatorKind::Sampling:
        return work::onlyBytes(work::choice(work.m * work.n));
    case OperatorKind::Optimizer:
        return work::onlyBytes(work::mixedAdam(work.m));
    }
    return {};
}

Work backwardWork(const Operator& work) {
    if (work.isOfBytes())
        return {0.0, work.batch * work.m * work.n * work.movedBack};
    const Work forward = forwardWork(work);
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
        return work.hasFrozenWeights ? forward : forward + forward;
    case OperatorKind::AttentionScores:
    case OperatorKind::AttentionValues:
        return forward + forward;
    case OperatorKind::FlashAttention:
        return work::attentionBackward(attentionSize(work), attendedPairs(work), 2.0);
    case OperatorKind::Softmax:
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::Gelu:
        return passes(work, 3.0);
    case OperatorKind::Swiglu:
        return passes(work, 5.0);
    case OperatorKind::Rope:
    case OperatorKind::Permute:
    case OperatorKind::Dropout:
    case OperatorKind::Embedding:
    case OperatorKind::Cast:
    case OperatorKind::Residual:
        return forward;
    case OperatorKind::CrossEntropy:
        return work::onlyBytes(work::unfusedCrossEntropyBackward(work.m * work.n));
    case OperatorKind::CachedAttention:
    case OperatorKind::Sampling:
    case OperatorKind::Optimizer:
        return {};
    }
    return {};
}

} // namespace trainscope::predict
