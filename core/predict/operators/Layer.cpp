#include "core/predict/operators/Layer.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/predict/operators/Collective.h"

#include <cmath>

namespace trainscope::predict {

namespace {

using analysis::AdaptedMatrix;
using analysis::Kernels;

constexpr double kElement = 2.0; // B of an activation
constexpr std::size_t kMostOperators = 48; // in a layer, about
constexpr double kWindowedLayers = 0.5; // share of the layers that look back at a window alone

// Bytes that kernels of plain PyTorch move for each number of a tensor, in 16 bits, at
// Rates::plainMemory of the bandwidth: counted, times how far each kernel is from that in traces of
// an H100 (PyTorch 2.11). Forward and backward.
struct PlainBytes {
    double forward = 0.0;
    double backward = 0.0;
    [[nodiscard]] PlainBytes times(double factor) const {
        return {forward * factor, backward * factor};
    }
};
// With the sum of a residual's gradients. Under autocast in 32 bits, cast to 16 and back.
constexpr PlainBytes kPlainNorm{5.5, 19.0};
constexpr PlainBytes kAutocastNorm{14.6, 43.5};
constexpr PlainBytes kPlainResidual{6.2, 6.2};
constexpr PlainBytes kAutocastResidual{11.4, 5.5};
constexpr PlainBytes kPlainRope{46.0, 46.0}; // queries and keys, which are also repeated
constexpr PlainBytes kPlainSplit{0.0, 55.0}; // gradients of queries, keys and values put together
constexpr PlainBytes kCompiledSplit{0.0, 24.0};
constexpr PlainBytes kPlainBias{0.0, 3.0}; // gradients summed over tokens
constexpr PlainBytes kPlainGelu{3.8, 5.4};
constexpr PlainBytes kPlainSwiglu{8.9, 15.9}; // function and product one after the other
constexpr PlainBytes kCompiledSwiglu{6.0, 10.0};
constexpr PlainBytes kPlainLoss{5.1, 10.5}; // for each logit
constexpr PlainBytes kAutocastLoss{13.2, 15.5};
constexpr PlainBytes kWeightCast{7.0, 8.0}; // to 16 bits, gradients back
constexpr double kGradientSum = 12.0; // a gradient's in 32 bits, from the second micro-batch on
constexpr PlainBytes kAutocastEmbedding{20.0, 20.0};
constexpr double kTableGradient = 16.0; // for all of the table: filled with zeros, summed
constexpr double kFusedNorms
    = 0.425; // share of the time for norms, residuals and positions, compiled
constexpr double kFusedBias = 0.8;

// Builds the work of one part of the model.
class LayerBuilder {
public:
    LayerBuilder(const Job& job, Pass pass)
        : m_job(job)
        , m_pass(pass)
        , m_model(job.model)
        , m_tensor(job.layout.grid.degrees().tensor)
        , m_context(job.layout.grid.degrees().context)
        , m_sequence(pass == Pass::Decode ? 1 : job.prompt())
        , m_isSequenceParallel(job.sequenceParallel && pass == Pass::Whole)
        , m_own(pass == Pass::Decode ? 1.0 : 1.0 * m_sequence / m_context)
        , m_tokens(job.microBatch * m_own)
        , m_rows(m_isSequenceParallel ? m_tokens / m_tensor : m_tokens)
        , m_kernels(job.kernels())
        , m_castsWeights(job.castsWeights())
        , m_scale(bytesOf(job.precision) > kElement ? 2.0 : 1.0) { }

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
        if (isPlain())
            endPlainLayer();
        const bool hasMlpExchange = !hasExperts || expertTensor() > 1;
        addTensorExchanges(
            firstOfAttention(), "attention_out", !m_model.parallelResidual || !hasMlpExchange);
        if (!hasExperts)
            addTensorExchanges("mlp_up", "mlp_down", true);
        else if (hasMlpExchange)
            addTensorExchanges("experts_up", "experts_down", true);
        return std::move(m_work);
    }

    LayerWork embedding() {
        add(OperatorKind::Embedding, "embedding", m_tokens, m_model.hidden,
            1.0 * m_model.vocabulary / m_tensor);
        m_work.parameters = 1.0 * m_model.hidden * m_model.vocabulary / m_tensor;
        if (isPlain()) {
            take(kAutocastEmbedding.times(m_castsWeights ? 1.0 : 0.5));
            addPlain(OperatorKind::Embedding, "table_gradient", m_work.parameters, 1.0,
                {0.0, kTableGradient * (m_castsWeights ? 1.0 : 0.5)});
        }
        addExchange(ExchangeKind::Tensor,
            {m_isSequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
                kElement * m_tokens * m_model.hidden, m_tensor, tensorInside()},
            1.0, m_isSequenceParallel ? 1.0 : 0.0);
        return std::move(m_work);
    }

    LayerWork loss() {
        if (m_job.isInference())
            return nextToken();
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
        if (isPlain()) {
            take(m_castsWeights ? kAutocastLoss : kPlainLoss);
            addWeightPasses(m_model.hidden * words);
        }
        m_work.parameters = headParameters(words);
        addExchange(ExchangeKind::Tensor,
            {m_isSequenceParallel ? CollectiveKind::AllGather : CollectiveKind::AllReduce,
                kElement * m_tokens * m_model.hidden, m_tensor, tensorInside()},
            m_isSequenceParallel ? 1.0 : 0.0, 1.0);
        return std::move(m_work);
    }

private:
    [[nodiscard]] bool isPlain() const { return m_kernels != Kernels::Library; }
    [[nodiscard]] bool isCompiled() const { return m_kernels == Kernels::Compiled; }

    // The bytes of the last operator.
    void take(const PlainBytes& bytes) {
        m_work.operators.back().moved = bytes.forward * m_scale;
        m_work.operators.back().movedBack = bytes.backward * m_scale;
    }
    void takeFused(const PlainBytes& bytes) { take(bytes.times(isCompiled() ? kFusedNorms : 1.0)); }
    void addPlain(OperatorKind kind, std::string_view name, double m, double n,
        const PlainBytes& bytes, double count = 1.0) {
        add(kind, name, m, n, 1.0, 1.0, count);
        take(bytes);
    }

    // Passes over weights and their gradients that each micro-batch makes beside products.
    void addWeightPasses(double parameters) {
        if (m_castsWeights)
            addPlain(OperatorKind::Cast, "weight_cast", parameters, 1.0, kWeightCast);
        const double further = 1.0 - 1.0 / m_job.microbatches();
        if (further > 0.0)
            addPlain(OperatorKind::Residual, "gradient_sum", parameters, 1.0,
                {0.0, kGradientSum * (m_castsWeights ? 1.0 : 0.5)}, further);
    }

    // Full recomputation stops where the last product's input is there.
    void endPlainLayer() {
        for (const std::string_view last : {"mlp_down", "residual"}) {
            const auto found = std::find_if(m_work.operators.rbegin(), m_work.operators.rend(),
                [last](const Operator& one) { return one.name == last; });
            if (found != m_work.operators.rend())
                found->endsLayer = true;
        }
        addWeightPasses(m_work.parameters);
        if (m_model.gatedMlp)
            return;
        const double heads = 1.0 * m_model.heads / m_tensor;
        const double keyHeads = std::max(1.0, 1.0 * m_model.kvHeads / m_tensor);
        const double queries = (heads + 2.0 * keyHeads) * m_model.headSize;
        addPlain(OperatorKind::Residual, "bias_gradients", m_tokens,
            queries + 2.0 * m_model.hidden + 1.0 * m_model.ffn / m_tensor,
            kPlainBias.times(isCompiled() ? kFusedBias : 1.0));
    }

    // Each GPU chooses from the logits of all.
    LayerWork nextToken() {
        const double samples = m_job.microBatch;
        const double words = 1.0 * m_model.vocabulary / m_tensor;
        m_tokens = m_rows = samples;
        norm("last_norm");
        add(OperatorKind::Gemm, "logits", samples, words, m_model.hidden);
        add(OperatorKind::Sampling, "sampling", samples, m_model.vocabulary);
        m_work.parameters = headParameters(words);
        addExchange(ExchangeKind::Tensor,
            {CollectiveKind::AllGather, kElement * samples * m_model.vocabulary, m_tensor,
                tensorInside()},
            1.0, 0.0);
        return std::move(m_work);
    }

    // None where the table of the embedding serves.
    [[nodiscard]] double headParameters(double words) const {
        const bool isShared = m_model.tiedEmbeddings && m_job.layout.grid.degrees().pipeline == 1;
        return isShared ? 0.0 : m_model.hidden * words;
    }

    [[nodiscard]] bool isLora() const { return m_job.workload == Workload::Lora; }
    [[nodiscard]] int expertTensor() const { return m_job.layout.grid.degrees().expertTensor; }
    [[nodiscard]] int tensorInside() const { return ranksInside(m_job, {m_tensor}); }

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
        cast.hasFrozenWeights = isLora();
        cast.isGathered = m_isSequenceParallel && (name == firstOfAttention() || name == "mlp_up");
        m_work.operators.push_back(cast);
        if (m_job.isInference() || m_job.keepsProductWeights())
            return; // its weights are cast before
        // Weights are cast for the first micro-batch of a step alone.
        cast.m = n;
        cast.hasFrozenWeights = cast.isGathered = false;
        cast.count = 1.0 / m_job.microbatches();
        m_work.operators.push_back(cast);
    }

    void norm(std::string_view name) {
        const bool isRms = m_model.gatedMlp || m_model.rmsNorm;
        add(isRms ? OperatorKind::RmsNorm : OperatorKind::LayerNorm, name, m_rows, m_model.hidden);
        if (isPlain())
            takeFused(m_castsWeights ? kAutocastNorm : kPlainNorm);
        m_work.parameters += (m_model.gatedMlp ? 1.0 : 2.0) * m_model.hidden;
    }

    void residual() {
        add(OperatorKind::Residual, "residual", m_rows, m_model.hidden);
        if (isPlain())
            takeFused(m_castsWeights ? kAutocastResidual : kPlainResidual);
        if (m_job.dropout) // in one kernel with the residual, but for its mask
            add(OperatorKind::Dropout, "dropout", m_rows, m_model.hidden, 1.0, 1.0, 0.2);
    }

    void attention() {
        norm("attention_norm");
        const double heads = 1.0 * m_model.heads / m_tensor;
        const double keyHeads = std::max(1.0, 1.0 * m_model.kvHeads / m_tensor);
        const double values = analysis::valueWidthOf(m_model) / m_model.heads;
        if (m_model.hasLatentAttention()) {
            latentProjections(heads, values);
        } else {
            const double width = (heads + 2.0 * keyHeads) * m_model.headSize;
            multiply(OperatorKind::Gemm, "qkv", m_tokens, width, m_model.hidden);
            adapt(AdaptedMatrix::Qkv, width, m_model.hidden);
        }
        const double turned = m_model.hasLatentAttention() ? (heads + 1.0) * m_model.ropeHeadSize
                                                           : (heads + keyHeads) * m_model.headSize;
        if (m_model.hasRotary())
            addRope(turned);
        // Queries, keys and values are taken apart and turned to heads.
        addHeads(heads, keyHeads);
        if (m_pass == Pass::Decode)
            cachedCore(heads, keyHeads, values);
        else
            core(heads, values);
        multiply(OperatorKind::Gemm, "attention_out", m_tokens, m_model.hidden, heads * values);
        adapt(AdaptedMatrix::Output, m_model.hidden, heads * values);
        residual();
        double keyed = m_model.hasLatentAttention() ? heads : keyHeads;
        if (exchangesHeads())
            keyed = std::max(keyed, 1.0 * m_context);
        addContextExchange(
            heads * m_model.headSize, keyed * (m_model.headSize + values), heads * values);
    }

    void addRope(double turned) {
        add(OperatorKind::Rope, "rope", m_own, turned, 1.0, m_job.microBatch);
        if (isPlain())
            takeFused(kPlainRope);
    }

    void addHeads(double heads, double keyHeads) {
        if (!isPlain())
            return add(OperatorKind::Permute, "heads", m_tokens,
                (heads + 2.0 * keyHeads) * m_model.headSize);
        // Separate products of queries, keys and values need not be taken apart.
        if (!m_model.gatedMlp)
            addPlain(OperatorKind::Permute, "heads", m_tokens, heads * m_model.headSize,
                isCompiled() ? kCompiledSplit : kPlainSplit);
    }

    void addActivation(std::string_view name, double rows, double width) {
        add(m_model.gatedMlp ? OperatorKind::Swiglu : OperatorKind::Gelu, name, rows, width);
        if (isPlain())
            take(!m_model.gatedMlp ? kPlainGelu : isCompiled() ? kCompiledSwiglu : kPlainSwiglu);
    }

    // A product with the first matrix of an adapter, one with the second, and their sum. A matrix
    // whose result is scattered over tokens is given its adapter's for these alone.
    void adapt(AdaptedMatrix matrix, double n, double k) {
        if (!isLora() || !m_job.adapters.adapt(matrix))
            return;
        const bool isScattered
            = matrix == AdaptedMatrix::Output || matrix == AdaptedMatrix::MlpDown;
        const double rows = isScattered ? m_rows : m_tokens;
        const double rank = m_job.adapters.rank;
        add(OperatorKind::Gemm, "adapter_in", m_tokens, rank, k);
        add(OperatorKind::Gemm, "adapter_out", rows, n, rank);
        add(OperatorKind::Residual, "adapter_sum", rows, n);
        m_work.adapterParameters += rank * (n + k);
    }

    // Keys and values that were made before are read once for all queries that share them. Latent
    // ones are what keys and values are made of: queries are turned to them instead (DeepSeek-V2),
    // for the same work, and all heads share them.
    void cachedCore(double heads, double keyHeads, double values) {
        const bool isLatent = m_model.hasLatentAttention();
        const double latent = m_model.keyValueRank;
        const double position = m_model.ropeHeadSize;
        Operator work{.kind = OperatorKind::CachedAttention, .name = "attention_cached"};
        work.batch = m_job.microBatch * (isLatent ? 1.0 : keyHeads);
        work.m = isLatent ? heads : heads / keyHeads;
        work.n = isLatent ? latent + position / 2.0 : (m_model.headSize + values) / 2.0;
        work.cached = isLatent ? latent + position : m_model.headSize + values;
        const double tokens = m_job.prompt() + m_job.generated / 2.0;
        work.k = tokens / m_context;
        const bool hasWindow = m_model.window > 0 && m_model.window < tokens;
        work.count = hasWindow ? 1.0 - kWindowedLayers : 1.0;
        m_work.operators.push_back(work);
        if (!hasWindow)
            return;
        work.name = "attention_window";
        work.k = 1.0 * m_model.window / m_context;
        work.count = kWindowedLayers;
        m_work.operators.push_back(work);
    }

    void latentProjections(double heads, double values) {
        const double position = m_model.ropeHeadSize;
        if (m_model.queryRank > 0) {
            multiply(OperatorKind::Gemm, "query_down", m_tokens, m_model.queryRank, m_model.hidden);
            adapt(AdaptedMatrix::Qkv, m_model.queryRank, m_model.hidden);
            multiply(OperatorKind::Gemm, "query_up", m_tokens, heads * m_model.headSize,
                m_model.queryRank);
        } else {
            multiply(
                OperatorKind::Gemm, "query", m_tokens, heads * m_model.headSize, m_model.hidden);
            adapt(AdaptedMatrix::Qkv, heads * m_model.headSize, m_model.hidden);
        }
        multiply(OperatorKind::Gemm, "key_value_down", m_tokens, m_model.keyValueRank + position,
            m_model.hidden);
        adapt(AdaptedMatrix::Qkv, m_model.keyValueRank + position, m_model.hidden);
        multiply(OperatorKind::Gemm, "key_value_up", m_tokens,
            heads * (m_model.headSize - position + values), m_model.keyValueRank);
    }

    void core(double heads, double values) {
        // Heads that were exchanged for tokens attend to all of these.
        const double shared = exchangesHeads() ? m_context : 1.0;
        const double batch = m_job.microBatch * heads / shared;
        const double own = m_own * shared;
        const double all
            = m_job.packedSample > 0 ? std::min(m_job.packedSample, m_sequence) : m_sequence;
        if (m_job.attention == AttentionKind::Unfused) {
            add(OperatorKind::AttentionScores, "scores", own, all, m_model.headSize, batch);
            add(OperatorKind::Softmax, "softmax", own, all, 1.0, batch);
            add(OperatorKind::AttentionValues, "values", own, values, all, batch);
            return;
        }
        const double size = (m_model.headSize + values) / 2.0;
        const bool hasWindow = m_model.window > 0 && m_model.window < m_sequence;
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
        adapt(AdaptedMatrix::MlpUp, (m_model.gatedMlp ? 2.0 : 1.0) * width / m_tensor,
            m_model.hidden);
        adapt(AdaptedMatrix::MlpDown, m_model.hidden, width / m_tensor);
    }

    void products(double rows, double width, std::string_view up, std::string_view activation,
        std::string_view down) {
        multiply(
            OperatorKind::Gemm, up, rows, (m_model.gatedMlp ? 2.0 : 1.0) * width, m_model.hidden);
        addActivation(activation, rows, width);
        multiply(OperatorKind::Gemm, down, rows, m_model.hidden, width);
    }

    void experts() {
        norm("mlp_norm");
        const double own = m_tokens / m_tensor; // tokens that this GPU routes
        add(OperatorKind::Router, "router", own, m_model.experts, m_model.hidden);
        m_work.operators.back().hasFrozenWeights = isLora();
        m_work.parameters += 1.0 * m_model.hidden * m_model.experts;
        const int group = m_job.layout.grid.degrees().expert;
        const int slices = std::max(1, expertTensor());
        const double copies = own * slices * m_model.expertsPerToken; // copies for its experts
        const double local = 1.0 * m_model.experts / group;
        const double busy = busyExperts(own * slices * group, local);
        const double rows = m_pass == Pass::Decode ? std::max(1.0, copies / busy) : copies / busy;
        const double width = 1.0 * m_model.ffn / slices;
        add(OperatorKind::Permute, "permute", copies, m_model.hidden);
        multiply(OperatorKind::GroupedGemm, "experts_up", rows,
            (m_model.gatedMlp ? 2.0 : 1.0) * width, m_model.hidden, busy);
        addActivation("experts_activation", copies, width);
        multiply(OperatorKind::GroupedGemm, "experts_down", rows, m_model.hidden, width, busy);
        // The idle ones are there too.
        m_work.expertParameters *= local / busy;
        add(OperatorKind::Permute, "unpermute", copies, m_model.hidden);
        if (m_model.sharedExperts > 0)
            products(m_tokens, 1.0 * m_model.sharedExperts * m_model.ffn / m_tensor, "shared_up",
                "shared_activation", "shared_down");
        addExpertExchange(own, group, slices);
    }

    // Experts of a GPU that `tokens` tokens meet, when each token meets experts evenly. With few
    // tokens not all are met; at least one is, on the GPU that the others wait for.
    [[nodiscard]] double busyExperts(double tokens, double local) const {
        if (m_pass == Pass::Whole)
            return local;
        const double missed = 1.0 - 1.0 * m_model.expertsPerToken / m_model.experts;
        return std::max(1.0, local * (1.0 - std::pow(missed, tokens)));
    }

    // A token crosses to each node of its experts once and is copied there (DeepEP).
    void addExpertExchange(double tokens, int group, int slices) {
        Collective exchange{CollectiveKind::AllToAll,
            kElement * tokens * m_model.expertsPerToken * m_model.hidden, group,
            ranksInside(m_job, {group, slices, layout::Decomposition::Expert})};
        const double nodes = exchange.nodes();
        const double reached
            = (nodes - 1.0) * (1.0 - std::pow(1.0 - 1.0 / nodes, m_model.expertsPerToken));
        exchange.networkBytes = kElement * tokens * m_model.hidden * reached;
        addExchange(ExchangeKind::Expert, exchange, 2.0, 2.0);
    }

    [[nodiscard]] std::string_view firstOfAttention() const {
        if (!m_model.hasLatentAttention())
            return "qkv";
        return m_model.queryRank > 0 ? "query_down" : "query";
    }

    // A block's, between its first and its last product. A parallel residual adds attention and
    // feed-forward before one exchange.
    void addTensorExchanges(std::string_view first, std::string_view last, bool addsAlone) {
        Collective whole{CollectiveKind::AllReduce, kElement * m_tokens * m_model.hidden, m_tensor,
            tensorInside()};
        const auto exchange = [&](double forward, double backward, std::string_view besideForward,
                                  std::string_view besideBackward) {
            if (m_tensor > 1)
                m_work.exchanges.push_back({ExchangeKind::Tensor, whole, forward, backward,
                    besideForward, besideBackward});
        };
        if (!m_isSequenceParallel)
            return exchange(addsAlone ? 1.0 : 0.0, 1.0, last, first);
        whole.kind = CollectiveKind::AllGather;
        exchange(1.0, 1.0, first, last);
        whole.kind = CollectiveKind::ReduceScatter;
        exchange(1.0, 1.0, last, first);
    }

    [[nodiscard]] bool exchangesHeads() const {
        return m_context > 1 && m_pass == Pass::Whole
            && m_job.execution.context == ContextExchange::AllToAll;
    }

    // `queries` and `values`: numbers of a token in all heads; `keys`: in keys and values.
    void addContextExchange(double queries, double keys, double values) {
        const int inside = ranksInside(m_job, {m_context, m_tensor});
        const double token = kElement * m_tokens; // B, of a number of each
        const auto exchange = [&](CollectiveKind kind, double bytes, double forward,
                                  double backward) {
            addExchange(ExchangeKind::Context, {kind, bytes, m_context, inside}, forward, backward);
        };
        if (m_pass == Pass::Decode) // each GPU's part of the sum over the cache, of all heads
            return exchange(CollectiveKind::AllReduce, token * values, 1.0, 0.0);
        const double steps = m_context - 1.0;
        switch (m_job.execution.context) {
        case ContextExchange::Ring:
            return exchange(CollectiveKind::SendRecv, token * keys, steps, 2.0 * steps);
        case ContextExchange::Gather:
            exchange(CollectiveKind::AllGather, m_context * token * keys, 1.0, 1.0);
            return exchange(CollectiveKind::ReduceScatter, m_context * token * keys, 0.0, 1.0);
        case ContextExchange::AllToAll:
            exchange(CollectiveKind::AllToAll, token * (queries + keys), 1.0, 1.0);
            return exchange(CollectiveKind::AllToAll, token * values, 1.0, 1.0);
        }
    }

    void addExchange(
        ExchangeKind kind, const Collective& collective, double forward, double backward) {
        if (collective.ranks > 1 && forward + backward > 0.0)
            m_work.exchanges.push_back({kind, collective, forward, backward});
    }

    const Job& m_job;
    Pass m_pass;
    const catalogue::TrainingModel& m_model;
    int m_tensor;
    int m_context;
    int m_sequence; // tokens of a sample that go through
    bool m_isSequenceParallel;
    double m_own; // tokens of them for this GPU's group
    double m_tokens; // tokens of a micro-batch for this GPU's group
    double m_rows; // tokens of them between tensor-parallel blocks
    Kernels m_kernels;
    bool m_castsWeights; // in plain PyTorch
    double m_scale; // size of activations, over 16 bits
    LayerWork m_work;
};

} // namespace

LayerWork layerWork(const Job& job, bool hasExperts, Pass pass) {
    return LayerBuilder(job, pass).layer(hasExperts);
}

LayerWork embeddingWork(const Job& job, Pass pass) {
    return LayerBuilder(job, pass).embedding();
}

LayerWork lossWork(const Job& job, Pass pass) {
    return LayerBuilder(job, pass).loss();
}

Operator optimizerWork(const Job& job, double parameters) {
    Operator work{.kind = OperatorKind::Optimizer, .name = "optimizer", .m = parameters};
    if (job.kernels() == Kernels::Library)
        return work;
    // Weights, both moments and a master copy are read and written, gradients read.
    constexpr double kSingle = 4.0; // B
    const analysis::KeptNumbers& kept = job.kept;
    work.moved = 2.0
            * (kept.weights.value_or(kSingle) + 2.0 * kept.states.value_or(kSingle)
                + kept.master.value_or(0.0))
        + kept.gradients.value_or(kSingle);
    return work;
}

} // namespace trainscope::predict
