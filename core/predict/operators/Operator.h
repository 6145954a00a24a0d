#pragma once
// Operator: one of the pieces of work that a layer of a transformer consists of, with the shape
// that one GPU does of it, and what it takes in floating-point operations and bytes. Pure; any
// thread.
//
// FLOP count a multiply-add as two. Bytes are those that must move between memory and chip when
// every tensor is read and written once.

#include "core/predict/Job.h"
#include "core/work/Work.h"

namespace trainscope::predict {

// Shapes by kind, as `batch` times m × n, with k where a product sums over it:
//   Gemm, GroupedGemm   batch products (m × k)·(k × n); batch: the experts of the GPU
//   AttentionScores     batch = samples · heads, m = n = tokens, k = head size: QKᵀ
//   Softmax             batch = samples · heads, m = n = tokens
//   AttentionValues     batch = samples · heads, m = tokens, n = head size, k = tokens
//   FlashAttention      batch = samples · heads, m = tokens, n = head size, k = tokens attended to
//   CachedAttention     batch = samples · KV heads, m = queries of each, n = mean size of a key
//                       and value, k = tokens in the cache; `cached` numbers of each token are read
//   Rope                batch = samples, m = tokens, n = width of queries or keys
//   Norms, Residual, Dropout, Gelu, Swiglu, Permute, Cast   m = tokens, n = width
//   Embedding           m = tokens, n = width, k = rows of the table
//   CrossEntropy        m = tokens, n = words of the vocabulary
//   Sampling            m = samples, n = words of the vocabulary: the choice of the next token
//   Router              m = tokens, n = experts, k = width
//   Optimizer           m = parameters that the GPU updates, n = tensors
enum class OperatorKind {
    Embedding,
    LayerNorm,
    RmsNorm,
    Gemm,
    GroupedGemm,
    Rope,
    AttentionScores,
    Softmax,
    AttentionValues,
    FlashAttention,
    CachedAttention,
    Gelu,
    Swiglu,
    Residual,
    Dropout,
    Router,
    Permute,
    Cast,
    CrossEntropy,
    Sampling,
    Optimizer,
};
constexpr auto namesOf(OperatorKind) {
    return enumNames("embedding", "layer_norm", "rms_norm", "gemm", "grouped_gemm", "rope",
        "attention_scores", "softmax", "attention_values", "flash_attention", "cached_attention",
        "gelu", "swiglu", "residual", "dropout", "router", "permute", "cast", "cross_entropy",
        "sampling", "optimizer");
}

struct Operator {
    OperatorKind kind = OperatorKind::Gemm;
    std::string_view name = {}; // its place in the model: "qkv", "mlp_up", "logits"; static text
    double batch = 1.0;
    double m = 1.0;
    double n = 1.0;
    double k = 1.0;
    Precision precision = Precision::Bf16;
    bool isCausal = true; // attention: half of the scores
    // No gradient of the weights (LoRA): neither a product for it, nor what is cast for it.
    bool hasFrozenWeights = false;
    bool isGathered = false; // Cast: tensor parallelism gathers it, cast or as it was
    double count = 1.0; // times in a row
    double cached = 0.0; // CachedAttention: 2·n, less where keys and values are one (latent)
    // B of each of the m × n, forward and backward, in place of what the kind moves; 0: that.
    double moved = 0.0;
    double movedBack = 0.0;
    // Nothing keeps what it gives, so that recomputation stops before it.
    bool endsLayer = false;

    [[nodiscard]] bool isOfBytes() const { return moved > 0.0 || movedBack > 0.0; }
    bool operator==(const Operator&) const = default;
};

using Work = work::Work;

// Products of so few rows that they wait for their weights, as those of one token a sample.
bool isStreamed(const Operator& work);

Work forwardWork(const Operator& work);
Work backwardWork(const Operator& work); // without what is recomputed

// Seconds of one operator on one GPU.
struct OperatorTime {
    double forward = 0.0;
    double backward = 0.0;
    double spread = 0.0; // standard deviation of the logarithm of either
};

// Seconds of operators on a kind of GPU, measured or by a formula. Implementations are immutable
// and may be asked from any thread.
class OperatorCosts {
public:
    virtual ~OperatorCosts() = default;
    [[nodiscard]] virtual OperatorTime timeOf(const Operator& work) const = 0;
};

} // namespace trainscope::predict
