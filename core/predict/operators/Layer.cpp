#include "core/predict/operators/Layer.h"

#include "core/analysis/machine/ModelShape.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr double kElement = 2.0; // B of an activation
constexpr std::size_t kMostOperators = 48; // of a layer, about
constexpr double kWindowedLayers = 0.5; // of the layers look back at a window alone

// Builds the work of one part of the model.
class LayerBuilder {
public:
    explicit LayerBuilder(const Job& job)
        : m_job(job)
        , m_model(job.model)
        , m_tensor(job.layout.grid.degrees().tensor)
        , m_context(job.layout.grid.degrees().context)
        , m_tokens(1.0 * job.microBatch * job.sequence / m_context)
        , m_rows(job.sequenceParallel ? m_tokens / m_tensor : m_tokens) { }

    LayerWork layer(bool hasExperts) {
        m_work.operators.reserve(kMostOperators);
        m_work.hasExperts = hasExperts;
        attention();
        if (hasExperts)
            experts();
        else
            feedForward(
                m_model.experts > 1 && m_model.denseFfn > 0 ? m_model.denseFfn : m_model.ffn,
                "mlp_up", "mlp_activation", "mlp_down");
        residual();
        addTensorExchanges(hasExperts && expertTensor() == 1 ? 1.0 : 2.0);
        return std::move(m_work);
    }

    LayerWork embedding() {
        add(OperatorKind::Embedding, "embedding", m_tokens, m_model.hidden,
            1.0 * m_model.vocabulary / m_tensor);
        m_work.parameters = 1.0 * m_model.hidden * m_model.vocabulary / m_tensor;
        addExchange(ExchangeKind::Tensor,
            {m_job.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
                kElement * m_tokens * m_model.hidden, m_tensor, ranksInside(m_job, m_tensor, 1)},
            1.0, m_job.sequenceParallel ? 1.0 : 0.0);
        return std::move(m_work);
    }

    LayerWork loss() {
        norm("last_norm");
        const double words = 1.0 * m_model.vocabulary / m_tensor;
        // Megatron-LM's logits stay in 16 bits whatever the layers are in.
        Operator logits{.kind = OperatorKind::Gemm,
            .name = "logits",
            .m = m_tokens,
            .n = words,
            .k = 1.0 * m_model.hidden};
        logits.hasFrozenWeights = isLora();
        m_work.operators.push_back(logits);
        add(OperatorKind::CrossEntropy, "loss", m_tokens, words);
        m_work.parameters = m_model.tiedEmbeddings && m_job.layout.grid.degrees().pipeline == 1
            ? 0.0
            : m_model.hidden * words;
        addExchange(ExchangeKind::Tensor,
            {m_job.sequenceParallel ? CollectiveKind::AllGather : CollectiveKind::AllReduce,
                kElement * m_tokens * m_model.hidden, m_tensor, ranksInside(m_job, m_tensor, 1)},
            m_job.sequenceParallel ? 1.0 : 0.0, 1.0);
        return std::move(m_work);
    }

private:
    [[nodiscard]] bool isLora() const { return m_job.workload == Workload::Lora; }
    [[nodiscard]] int expertTensor() const { return m_job.layout.grid.degrees().expertTensor; }

    void add(OperatorKind kind, std::string_view name, double m, double n, double k = 1.0,
        double batch = 1.0, double count = 1.0) {
        Operator work{.kind = kind, .name = name, .batch = batch, .m = m, .n = n, .k = k};
        work.count = count;
        m_work.operators.push_back(work);
    }

    // A product with weights of k × n; in 8 or 4 bits its input is cast.
    void multiply(OperatorKind kind, std::string_view name, double rows, double n, double k,
        double batch = 1.0) {
        Operator product{.kind = kind, .name = name, .batch = batch, .m = rows, .n = n, .k = k};
        product.precision = m_job.precision;
        product.hasFrozenWeights = isLora();
        m_work.operators.push_back(product);
        (kind == OperatorKind::GroupedGemm ? m_work.expertParameters : m_work.parameters)
            += batch * n * k;
        if (bytesOf(m_job.precision) >= 2.0)
            return;
        Operator cast{.kind = OperatorKind::Cast, .name = "cast", .batch = batch};
        cast.precision = m_job.precision;
        cast.m = rows;
        cast.n = k;
        m_work.operators.push_back(cast);
        // Weights are cast for the first micro-batch of a step alone.
        cast.m = n;
        cast.count = 1.0 / m_job.microbatches();
        m_work.operators.push_back(cast);
    }

    void norm(std::string_view name) {
        const bool isRms = m_model.gatedMlp || m_model.rmsNorm;
        add(isRms ? OperatorKind::RmsNorm : OperatorKind::LayerNorm, name, m_rows, m_model.hidden);
        m_work.parameters += (m_model.gatedMlp ? 1.0 : 2.0) * m_model.hidden;
    }

    void residual() {
        add(OperatorKind::Residual, "residual", m_rows, m_model.hidden);
        if (m_job.dropout) // in one kernel with the residual, but for its mask
            add(OperatorKind::Dropout, "dropout", m_rows, m_model.hidden, 1.0, 1.0, 0.2);
    }

    void attention() {
        norm("attention_norm");
        const double heads = 1.0 * m_model.heads / m_tensor;
        const double keyHeads = std::max(1.0, 1.0 * m_model.kvHeads / m_tensor);
        const double values = analysis::valueWidthOf(m_model) / m_model.heads;
        if (m_model.hasLatentAttention())
            latentProjections(heads, values);
        else
            multiply(OperatorKind::Gemm, "qkv", m_tokens,
                (heads + 2.0 * keyHeads) * m_model.headSize, m_model.hidden);
        const double turned = m_model.hasLatentAttention() ? (heads + 1.0) * m_model.ropeHeadSize
                                                           : (heads + keyHeads) * m_model.headSize;
        if (m_model.hasRotary())
            add(OperatorKind::Rope, "rope", 1.0 * m_job.sequence / m_context, turned, 1.0,
                m_job.microBatch);
        // Queries, keys and values are taken apart and turned to heads.
        add(OperatorKind::Permute, "heads", m_tokens, (heads + 2.0 * keyHeads) * m_model.headSize);
        core(heads, values);
        multiply(OperatorKind::Gemm, "attention_out", m_tokens, m_model.hidden, heads * values);
        residual();
        const double keys
            = (m_model.hasLatentAttention() ? heads : keyHeads) * (m_model.headSize + values);
        addContextExchange(keys);
    }

    void latentProjections(double heads, double values) {
        const double position = m_model.ropeHeadSize;
        if (m_model.queryRank > 0) {
            multiply(OperatorKind::Gemm, "query_down", m_tokens, m_model.queryRank, m_model.hidden);
            multiply(OperatorKind::Gemm, "query_up", m_tokens, heads * m_model.headSize,
                m_model.queryRank);
        } else {
            multiply(
                OperatorKind::Gemm, "query", m_tokens, heads * m_model.headSize, m_model.hidden);
        }
        multiply(OperatorKind::Gemm, "key_value_down", m_tokens, m_model.keyValueRank + position,
            m_model.hidden);
        multiply(OperatorKind::Gemm, "key_value_up", m_tokens,
            heads * (m_model.headSize - position + values), m_model.keyValueRank);
    }

    void core(double heads, double values) {
        const double batch = m_job.microBatch * heads;
        const double own = 1.0 * m_job.sequence / m_context;
        const double all = m_job.packedSample > 0 ? std::min(m_job.packedSample, m_job.sequence)
                                                  : m_job.sequence;
        if (m_job.attention == AttentionKind::Unfused) {
            add(OperatorKind::AttentionScores, "scores", own, all, m_model.headSize, batch);
            add(OperatorKind::Softmax, "softmax", own, all, 1.0, batch);
            add(OperatorKind::AttentionValues, "values", own, values, all, batch);
            return;
        }
        const double size = (m_model.headSize + values) / 2.0;
        const bool hasWindow = m_model.window > 0 && m_model.window < m_job.sequence;
        add(OperatorKind::FlashAttention, "attention", own, size, all, batch,
            hasWindow ? 1.0 - kWindowedLayers : 1.0);
        if (hasWindow) {
            add(OperatorKind::FlashAttention, "attention_window", own, size, m_model.window, batch,
                kWindowedLayers);
            m_work.operators.back().isCausal = false;
        }
    }

    void feedForward(
        double width, std::string_view up, std::string_view activation, std::string_view down) {
        norm("mlp_norm");
        products(m_tokens, width / m_tensor, up, activation, down);
    }

    void products(double rows, double width, std::string_view up, std::string_view activation,
        std::string_view down) {
        multiply(
            OperatorKind::Gemm, up, rows, (m_model.gatedMlp ? 2.0 : 1.0) * width, m_model.hidden);
        add(m_model.gatedMlp ? OperatorKind::Swiglu : OperatorKind::Gelu, activation, rows, width);
        multiply(OperatorKind::Gemm, down, rows, m_model.hidden, width);
    }

    void experts() {
        norm("mlp_norm");
        const double own = m_tokens / m_tensor; // tokens that this GPU routes
        add(OperatorKind::Router, "router", own, m_model.experts, m_model.hidden);
        m_work.parameters += 1.0 * m_model.hidden * m_model.experts;
        const int group = m_job.layout.grid.degrees().expert;
        const int slices = std::max(1, expertTensor());
        const double copies = own * slices * m_model.expertsPerToken; // that it works on
        const double local = 1.0 * m_model.experts / group;
        const double width = 1.0 * m_model.ffn / slices;
        add(OperatorKind::Permute, "permute", copies, m_model.hidden);
        multiply(OperatorKind::GroupedGemm, "experts_up", copies / local,
            (m_model.gatedMlp ? 2.0 : 1.0) * width, m_model.hidden, local);
        add(m_model.gatedMlp ? OperatorKind::Swiglu : OperatorKind::Gelu, "experts_activation",
            copies, width);
        multiply(OperatorKind::GroupedGemm, "experts_down", copies / local, m_model.hidden, width,
            local);
        add(OperatorKind::Permute, "unpermute", copies, m_model.hidden);
        if (m_model.sharedExperts > 0)
            products(m_tokens, 1.0 * m_model.sharedExperts * m_model.ffn / m_tensor, "shared_up",
                "shared_activation", "shared_down");
        addExpertExchange(own, group, slices);
    }

    // A token crosses to each node of its experts once and is copied there (DeepEP).
    void addExpertExchange(double tokens, int group, int slices) {
        Collective exchange{CollectiveKind::AllToAll,
            kElement * tokens * m_model.expertsPerToken * m_model.hidden, group,
            ranksInside(m_job, group, slices)};
        const double nodes = exchange.nodes();
        const double reached
            = (nodes - 1.0) * (1.0 - std::pow(1.0 - 1.0 / nodes, m_model.expertsPerToken));
        exchange.networkBytes = kElement * tokens * m_model.hidden * reached;
        addExchange(ExchangeKind::Expert, exchange, 2.0, 2.0);
    }

    void addTensorExchanges(double blocks) {
        const Collective whole{CollectiveKind::AllReduce, kElement * m_tokens * m_model.hidden,
            m_tensor, ranksInside(m_job, m_tensor, 1)};
        if (!m_job.sequenceParallel) {
            // A parallel residual adds attention and feed-forward before one exchange.
            addExchange(
                ExchangeKind::Tensor, whole, m_model.parallelResidual ? 1.0 : blocks, blocks);
            return;
        }
        Collective part = whole;
        part.kind = CollectiveKind::AllGather;
        addExchange(ExchangeKind::Tensor, part, blocks, blocks);
        part.kind = CollectiveKind::ReduceScatter;
        addExchange(ExchangeKind::Tensor, part, blocks, blocks);
    }

    void addContextExchange(double width) {
        // Keys and values once around the ring, they and their gradients in the backward pass.
        const double sent = kElement * m_tokens * width * (m_context - 1.0);
        addExchange(ExchangeKind::Context,
            {CollectiveKind::SendReceive, sent, m_context, ranksInside(m_job, m_context, m_tensor)},
            1.0, 2.0);
    }

    void addExchange(
        ExchangeKind kind, const Collective& collective, double forward, double backward) {
        if (collective.ranks > 1 && forward + backward > 0.0)
            m_work.exchanges.push_back({kind, collective, forward, backward});
    }

    const Job& m_job;
    const catalogue::TrainingModel& m_model;
    int m_tensor;
    int m_context;
    double m_tokens; // of a micro-batch that this GPU's group works on
    double m_rows; // of them, between tensor-parallel blocks
    LayerWork m_work;
};

} // namespace

LayerWork layerWork(const Job& job, bool hasExperts) {
    return LayerBuilder(job).layer(hasExperts);
}

LayerWork embeddingWork(const Job& job) {
    return LayerBuilder(job).embedding();
}

LayerWork lossWork(const Job& job) {
    return LayerBuilder(job).loss();
}

Operator optimizerWork(double parameters) {
    return {.kind = OperatorKind::Optimizer, .name = "optimizer", .m = parameters};
}

int ranksInside(const Job& job, int ranks, int stride) {
    const int domain = std::max(job.layout.gpusPerNode,
        job.machine.linkDomain.value_or(job.machine.gpu.linkDomain.value_or(0)));
    return std::clamp(domain / std::max(1, stride), 1, ranks);
}

} // namespace trainscope::predict
