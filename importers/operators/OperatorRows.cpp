#include "importers/operators/OperatorRows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::importers::operators {

namespace {

using predict::CollectiveKind;
using predict::Operator;
using predict::OperatorKind;

constexpr double kVocabulary = 50257.0; // of GPT-2
constexpr double kPaddedTo = 128.0;
constexpr double kEncoderTensors = 12.0; // weights and biases of 2 norms and 4 matrices
constexpr double kEncoderSquares = 12.0; // matrices of hidden × hidden in an encoder

double wordsOf(const Columns& row) {
    const double unit = kPaddedTo * row["mp"];
    return std::ceil(kVocabulary / unit) * kPaddedTo;
}
double tokensOf(const Columns& row) {
    return row["b"] * row["l"];
}
double headsOf(const Columns& row) {
    return row["b"] * row["h"] / row["mp"];
}
double headSizeOf(const Columns& row) {
    return row["dim"] / row["h"];
}

Operator shaped(OperatorKind kind, double batch, double m, double n, double k = 1.0) {
    return {.kind = kind,
        .batch = batch,
        .m = m,
        .n = n,
        .k = k,
        .precision = predict::Precision::Fp16};
}
Operator gemm(const Columns& row, double n, double k) {
    return shaped(OperatorKind::Gemm, 1.0, tokensOf(row), n, k);
}
Operator wide(OperatorKind kind, const Columns& row, double width) {
    return shaped(kind, 1.0, tokensOf(row), width);
}

// Adam on all parameters of a stage's share: the encoders' matrices, and `ends` tables of words.
Operator optimizer(const Columns& row, double ends) {
    const double dim = row["dim"];
    const double parameters = kEncoderSquares * row["encoders"] * dim * dim / row["mp"];
    return shaped(OperatorKind::Optimizer, 1.0, parameters + ends * wordsOf(row) * dim,
        kEncoderTensors * row["encoders"] + ends);
}

constexpr std::array kOperators{
    SampledOperator{"linear1", "gemm", "mp b l dim",
        [](const Columns& row) { return gemm(row, 3.0 * row["dim"] / row["mp"], row["dim"]); }},
    SampledOperator{"linear2", "gemm", "mp b l dim",
        [](const Columns& row) { return gemm(row, row["dim"], row["dim"] / row["mp"]); }},
    SampledOperator{"linear3", "gemm", "mp b l dim",
        [](const Columns& row) { return gemm(row, 4.0 * row["dim"] / row["mp"], row["dim"]); }},
    SampledOperator{"linear4", "gemm", "mp b l dim",
        [](const Columns& row) { return gemm(row, row["dim"], 4.0 * row["dim"] / row["mp"]); }},
    SampledOperator{"linear_final", "gemm", "mp b l dim",
        [](const Columns& row) { return gemm(row, wordsOf(row), row["dim"]); }},
    SampledOperator{"baddbmm", "attention_scores", "mp b h l dim",
        [](const Columns& row) {
            return shaped(
                OperatorKind::AttentionScores, headsOf(row), row["l"], row["l"], headSizeOf(row));
        }},
    SampledOperator{"bmm", "attention_values", "mp b h l dim",
        [](const Columns& row) {
            return shaped(
                OperatorKind::AttentionValues, headsOf(row), row["l"], headSizeOf(row), row["l"]);
        }},
    SampledOperator{"flash_atten", "flash_attention", "mp b h l dim",
        [](const Columns& row) {
            return shaped(
                OperatorKind::FlashAttention, headsOf(row), row["l"], headSizeOf(row), row["l"]);
        }},
    SampledOperator{"ScaledUpperTriangMaskedSoftmax", "softmax", "mp b h l",
        [](const Columns& row) {
            return shaped(OperatorKind::Softmax, headsOf(row), row["l"], row["l"]);
        }},
    SampledOperator{"softmax", "softmax_without_mask", "mp b h l",
        [](const Columns& row) {
            return shaped(OperatorKind::Softmax, headsOf(row), row["l"], row["l"]);
        }},
    SampledOperator{"fillmask", "fill_mask", "mp b h l",
        [](const Columns& row) {
            return shaped(OperatorKind::Dropout, headsOf(row), row["l"], row["l"]);
        }},
    // Queries and keys together.
    SampledOperator{"RoPE", "rope", "mp b l dim",
        [](const Columns& row) {
            return shaped(OperatorKind::Rope, row["b"], row["l"], 2.0 * row["dim"] / row["mp"]);
        }},
    SampledOperator{"gelu", "gelu", "mp b l dim",
        [](const Columns& row) {
            return wide(OperatorKind::Gelu, row, 4.0 * row["dim"] / row["mp"]);
        }},
    SampledOperator{"layernorm", "layer_norm", "b l dim",
        [](const Columns& row) { return wide(OperatorKind::LayerNorm, row, row["dim"]); }},
    SampledOperator{"RMSlayernorm", "rms_norm", "b l dim",
        [](const Columns& row) { return wide(OperatorKind::RmsNorm, row, row["dim"]); }},
    SampledOperator{"res_add", "residual", "b l dim",
        [](const Columns& row) { return wide(OperatorKind::Residual, row, row["dim"]); }},
    SampledOperator{"embedding", "embedding", "mp b l dim",
        [](const Columns& row) {
            return shaped(OperatorKind::Embedding, 1.0, tokensOf(row), row["dim"], wordsOf(row));
        }},
    SampledOperator{"parallel_cross_entropy_128", "cross_entropy", "mp b l",
        [](const Columns& row) { return wide(OperatorKind::CrossEntropy, row, wordsOf(row)); }},
    SampledOperator{"firstStage_optimizer", "optimizer", "mp dim encoders",
        [](const Columns& row) { return optimizer(row, 1.0); }},
    SampledOperator{"middleStage_optimizer", "optimizer", "mp dim encoders",
        [](const Columns& row) { return optimizer(row, 0.0); }},
    SampledOperator{"lastStage_optimizer", "optimizer", "mp dim encoders",
        [](const Columns& row) { return optimizer(row, 1.0); }},
    SampledOperator{"optimizer", "optimizer_by_tensor", "params param_tensors",
        [](const Columns& row) {
            return shaped(OperatorKind::Optimizer, 1.0, row["params"], row["param_tensors"]);
        }},
};

constexpr std::array kCollectives{
    SampledCollective{"allreduce", CollectiveKind::AllReduce, false},
    SampledCollective{"allreduce_large", CollectiveKind::AllReduce, false},
    SampledCollective{"allgather", CollectiveKind::AllGather, true},
    SampledCollective{"allgather_large", CollectiveKind::AllGather, true},
    SampledCollective{"reducescatter", CollectiveKind::ReduceScatter, true},
    SampledCollective{"reducescatter_large", CollectiveKind::ReduceScatter, true},
    SampledCollective{"alltoall", CollectiveKind::AllToAll, false},
    SampledCollective{"p2p", CollectiveKind::SendReceive, false},
};

template <typename Table>
auto findIn(const Table& table, std::string_view name) {
    const auto found = std::find_if(
        table.begin(), table.end(), [&](const auto& one) { return one.name == name; });
    return found == table.end() ? nullptr : &*found;
}

} // namespace

bool Columns::has(std::string_view name) const {
    return std::find(m_names.begin(), m_names.end(), name) != m_names.end();
}

double Columns::operator[](std::string_view name) const {
    const auto found = std::find(m_names.begin(), m_names.end(), name);
    return found == m_names.end() ? 1.0
                                  : m_values[static_cast<std::size_t>(found - m_names.begin())];
}

const SampledOperator* findOperator(std::string_view name) {
    return findIn(kOperators, name);
}

const SampledCollective* findCollective(std::string_view name) {
    return findIn(kCollectives, name);
}

} // namespace trainscope::importers::operators
