#include "core/predict/step/LayerCosts.h"

#include <cmath>

namespace trainscope::predict {
namespace {

constexpr double kGatheredBytes = 2.0; // for each parameter
constexpr double kActivationBytes = 2.0;

StepPart partOf(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
        return StepPart::Gemm;
    case OperatorKind::AttentionScores:
    case OperatorKind::Softmax:
    case OperatorKind::AttentionValues:
    case OperatorKind::FlashAttention:
    case OperatorKind::CachedAttention:
        return StepPart::Attention;
    case OperatorKind::Embedding:
        return StepPart::Embedding;
    case OperatorKind::CrossEntropy:
    case OperatorKind::Sampling:
        return StepPart::Loss;
    case OperatorKind::Optimizer:
        return StepPart::Optimizer;
    case OperatorKind::LayerNorm:
    case OperatorKind::RmsNorm:
    case OperatorKind::Rope:
    case OperatorKind::Gelu:
    case OperatorKind::Swiglu:
    case OperatorKind::Residual:
    case OperatorKind::Dropout:
    case OperatorKind::Permute:
    case OperatorKind::Cast:
        break;
    }
    return StepPart::Elementwise;
}

StepPart partOf(ExchangeKind kind) {
    switch (kind) {
    case ExchangeKind::Tensor:
        return StepPart::TensorParallel;
    case ExchangeKind::Context:
        return StepPart::ContextParallel;
    case ExchangeKind::Expert:
        break;
    }
    return StepPart::ExpertParallel;
}

class LayerCoster {
public:
    LayerCoster(const Job& job, Pass pass, const Rates& rates, const OperatorCosts& operators,
        const CollectiveCosts& collectives)
        : m_job(job)
        , m_pass(pass)
        , m_rates(rates)
        , m_operators(operators)
        , m_collectives(collectives) { }

    PassCosts costs() {
        const catalogue::TrainingModel& model = m_job.model;
        const bool isMixture = model.experts > 1;
        PassCosts all;
        if (!isMixture || model.denseLayers > 0)
            all.dense = layer(layerWork(m_job, false, m_pass));
        if (isMixture)
            all.expert = layer(layerWork(m_job, true, m_pass));
        all.embedding = end(embeddingWork(m_job, m_pass));
        all.loss = end(lossWork(m_job, m_pass));
        return all;
    }

private:
    LayerCost layer(const LayerWork& work) {
        LayerCost made{{}, work.parameters, work.expertParameters, work.adapterParameters};
        addOperators(work, made.cost);
        addExchanges(work, made.cost);
        hideBehindOther(made.cost);
        addGaps(work.hasExperts, made.cost);
        keepForward(made.cost);
        return made;
    }

    LayerCost end(const LayerWork& work) {
        LayerCost made{{}, work.parameters, work.expertParameters, 0.0};
        addOperators(work, made.cost);
        addExchanges(work, made.cost);
        keepForward(made.cost);
        return made;
    }

    void keepForward(PieceCost& cost) const {
        if (m_job.isInference())
            cost = {cost.forward, {}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    }

    // Inputs that are gathered in fewer bits are cast before, each GPU's part by itself.
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const {
        OperatorTime time = m_operators.timeOf(work);
        if (work.isGathered && m_rates.gatherBytes < kActivationBytes) {
            time.forward /= m_job.layout.grid.degrees().tensor;
            time.backward /= m_job.layout.grid.degrees().tensor;
        }
        return time;
    }

    void addOperators(const LayerWork& work, PieceCost& cost) {
        m_products.clear();
        for (const Operator& one : work.operators) {
            const OperatorTime time = timeOf(one);
            if (partOf(one.kind) == StepPart::Gemm && m_rates.tensorHidden > 0.0)
                m_products.push_back({one.name, time, one.hasFrozenWeights});
            const StepPart part = one.name == "logits" ? StepPart::Loss : partOf(one.kind);
            cost.forward[part] += time.forward;
            cost.backward[part] += time.backward;
            if (part == StepPart::Loss && one.isOfBytes())
                cost.movedLoss += time.forward + time.backward;
            if (one.endsLayer)
                cost.unrepeated += time.forward;
            if (partOf(one.kind) == StepPart::Gemm && !one.hasFrozenWeights)
                cost.weightGradient += time.backward / 2.0;
        }
    }

    // Seconds of a pass of the product that an exchange lies behind; absent where it is not known.
    [[nodiscard]] std::optional<double> besideOf(const Exchange& exchange, bool isBackward) const {
        const std::string_view name = isBackward ? exchange.besideBackward : exchange.besideForward;
        const auto found = std::find_if(m_products.begin(), m_products.end(),
            [name](const Product& one) { return one.name == name; });
        if (found == m_products.end())
            return std::nullopt;
        if (!isBackward)
            return found->time.forward;
        // Gathered gradients lie behind those of inputs, what is reduced behind those of weights.
        const bool isOfInputs = exchange.collective.kind == CollectiveKind::AllGather;
        if (found->isFrozen)
            return isOfInputs ? found->time.backward : 0.0;
        return found->time.backward / 2.0;
    }

    [[nodiscard]] double exposedTensor(
        const Exchange& exchange, double seconds, bool isBackward) const {
        const double hidden = std::min(1.0, m_rates.tensorHidden) * seconds;
        const double most = besideOf(exchange, isBackward).value_or(seconds);
        return (seconds - std::min(hidden, most))
            * (isBackward && m_job.sequenceParallel ? m_rates.tensorBackward : 1.0);
    }

    // The steps of a ring but the first part of attention, which has what it needs.
    [[nodiscard]] double exposedContext(
        const Exchange& exchange, double seconds, double attention, bool isBackward) const {
        const double share = isBackward ? m_rates.contextBackward : m_rates.contextForward;
        const double ranks = exchange.collective.ranks;
        switch (exchange.collective.kind) {
        case CollectiveKind::SendRecv:
            return std::max(share * seconds, seconds - attention * (ranks - 1.0) / ranks);
        case CollectiveKind::AllReduce: // as in decoding
            return share * seconds;
        default:
            return seconds;
        }
    }

    // They hide behind another micro-batch, of which a stage has several at a time where it has
    // several pieces of the model.
    [[nodiscard]] double exposedExperts(double seconds) const {
        if (m_job.layout.schedule == layout::ScheduleKind::DualPipe)
            return seconds; // see hideBehindOther()
        return m_job.layout.virtualStages > 1
            ? seconds * (1.0 - std::min(1.0, m_rates.expertHidden))
            : seconds;
    }

    // Seconds of a pass that has the exchange so many times.
    [[nodiscard]] double exposed(const Exchange& exchange, double seconds, double times,
        double attention, bool isBackward) const {
        switch (exchange.kind) {
        case ExchangeKind::Tensor:
            return times * exposedTensor(exchange, seconds, isBackward);
        case ExchangeKind::Context:
            return exposedContext(exchange, times * seconds, attention, isBackward);
        case ExchangeKind::Expert:
            break;
        }
        return exposedExperts(times * seconds);
    }

    [[nodiscard]] double secondsOf(const Exchange& exchange) const {
        Collective sent = exchange.collective;
        if (exchange.kind == ExchangeKind::Tensor && sent.kind == CollectiveKind::AllGather)
            sent.bytes *= m_rates.gatherBytes / kActivationBytes;
        return m_collectives.secondsOf(sent);
    }

    void addExchanges(const LayerWork& work, PieceCost& cost) {
        for (const Exchange& exchange : work.exchanges) {
            const double seconds = secondsOf(exchange);
            const StepPart part = partOf(exchange.kind);
            cost.forward[part] += exposed(
                exchange, seconds, exchange.forward, cost.forward[StepPart::Attention], false);
            cost.backward[part] += exposed(
                exchange, seconds, exchange.backward, cost.backward[StepPart::Attention], true);
        }
    }

    // A forward pass of one direction and a backward pass of the other go together: their exchanges
    // hide behind the compute of both (DeepSeek-AI 2024, section 3.2.1), from which they take 20 of
    // an H800's 132 processors meanwhile (3.2.2).
    void hideBehindOther(PieceCost& cost) const {
        constexpr auto kPart = StepPart::ExpertParallel;
        const double exchanged = cost.forward[kPart] + cost.backward[kPart];
        const double computed = cost.forward.total() + cost.backward.total() - exchanged;
        if (m_job.layout.schedule != layout::ScheduleKind::DualPipe || exchanged <= 0.0)
            return;
        const double hidden = std::min(1.0, computed / exchanged);
        cost.hiddenForward = hidden * cost.forward[kPart];
        cost.hiddenBackward = hidden * cost.backward[kPart];
        constexpr double kTaken = 20.0 / (132.0 - 20.0); // more time for what is computed meanwhile
        cost.forward[kPart] -= (1.0 - kTaken) * cost.hiddenForward;
        cost.backward[kPart] -= (1.0 - kTaken) * cost.hiddenBackward;
    }

    // Experts are many small kernels: where the host takes longer to launch a pass than the GPU to
    // do it, the GPU waits. The passage from one to the other is smooth, since layers differ.
    void addGaps(bool withExperts, PieceCost& cost) const {
        for (Breakdown* pass : {&cost.forward, &cost.backward}) {
            double gap = m_rates.gapSeconds;
            if (withExperts) {
                const double busy = pass->total();
                const double host = m_rates.expertHostSeconds * m_rates.expertHostShare;
                constexpr double kSharp = 4.0;
                gap += m_rates.expertGapSeconds
                    + std::pow(std::pow(busy, kSharp) + std::pow(host, kSharp), 1.0 / kSharp)
                    - busy;
            }
            (*pass)[StepPart::Gap] += gap;
        }
        cost.hostSeconds = m_rates.hostSeconds;
    }

    struct Product {
        std::string_view name;
        OperatorTime time;
        bool isFrozen = false;
    };

    const Job& m_job;
    Pass m_pass;
    const Rates& m_rates;
    const OperatorCosts& m_operators;
    const CollectiveCosts& m_collectives;
    std::vector<Product> m_products; // products of the part at hand
};

void addRecomputed(const Job& job, const Rates& rates, PieceCost& cost) {
    switch (job.recompute) {
    case Recompute::None:
        return;
    case Recompute::Selective:
        if (job.recomputedParts.attentionCore)
            cost.backward[StepPart::Recomputation] += cost.forward[StepPart::Attention];
        return;
    case Recompute::PerOperator:
        cost.backward[StepPart::Recomputation] += rates.perOperatorForward * cost.forward.total();
        return;
    case Recompute::Full:
        cost.backward[StepPart::Recomputation] += cost.forward.total() - cost.unrepeated;
        cost.hostSeconds *= 1.0 + kForwardLaunches;
        return;
    }
}

// Parameters gathered and gradients scattered beside the layer's compute; experts among the ranks
// that hold the same ones.
void addShards(
    const Job& job, const Rates& rates, const CollectiveCosts& collectives, LayerCost& layer) {
    const layout::Sharding& sharding = *job.layout.sharding;
    const auto exchanged = [&](CollectiveKind kind, double bytes, const RankGroup& replicas) {
        const RankGroup group = replicas.shard(sharding.group);
        return collectives.secondsOf({kind, bytes, group.ranks, ranksInside(job, group)});
    };
    const auto exchangedAll = [&](CollectiveKind kind, double bytes) {
        return exchanged(kind, bytes * layer.parameters, denseReplicas(job))
            + exchanged(kind, bytes * layer.expertParameters, expertReplicas(job));
    };
    const double gathering = exchangedAll(CollectiveKind::AllGather, kGatheredBytes);
    const double scattering = job.workload == Workload::Training
        ? exchangedAll(CollectiveKind::ReduceScatter, rates.shardedReduceBytes)
        : 0.0;
    PieceCost& cost = layer.cost;
    const auto beside = [&rates](double compute, double exchange) {
        return std::max(rates.shardedSlowdown * exchange, exchange - compute);
    };
    cost.forward[StepPart::Sharding] += beside(cost.forward.total(), gathering);
    if (job.isInference())
        return;
    const bool gathersAgain = sharding.zeroStage >= 3;
    cost.backward[StepPart::Sharding]
        += beside(cost.backward.total(), scattering + (gathersAgain ? gathering : 0.0));
}

constexpr double kSentBytes = 2.0; // a number's

void addTimes(PieceCost& cost, const PieceCost& part, double times) {
    cost.forward.add(part.forward, times);
    cost.backward.add(part.backward, times);
    cost.weightGradient += part.weightGradient * times;
    cost.movedLoss += part.movedLoss * times;
    cost.hostSeconds += part.hostSeconds * times;
    cost.hiddenForward += part.hiddenForward * times;
    cost.hiddenBackward += part.hiddenBackward * times;
}

// Passes last as long as their host takes to launch them, where that is longer. It is ahead in one
// by what it waits for in the other.
void waitForHost(PieceCost& cost) {
    constexpr double kSharp = 8.0;
    if (cost.hostSeconds <= 0.0)
        return;
    const double busy = cost.forward.total() + cost.backward.total();
    const double gap
        = std::pow(std::pow(busy, kSharp) + std::pow(cost.hostSeconds, kSharp), 1.0 / kSharp)
        - busy;
    cost.forward[StepPart::Gap] += kForwardLaunches * gap;
    cost.backward[StepPart::Gap] += (1.0 - kForwardLaunches) * gap;
}

} // namespace

bool exchangesShards(const Job& job) {
    const auto& sharding = job.layout.sharding;
    const bool hasPipeline = job.layout.grid.degrees().pipeline > 1 && !job.isInference();
    return sharding && sharding->zeroStage >= 2 && sharding->group > 1 && !hasPipeline;
}

LayerCosts plainCostsOf(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives) {
    LayerCosts all;
    static_cast<PassCosts&>(all)
        = LayerCoster(job, Pass::Whole, rates, operators, collectives).costs();
    if (job.decodes() > 0)
        all.decode = LayerCoster(job, Pass::Decode, rates, operators, collectives).costs();
    return all;
}

LayerCosts withRecomputation(const LayerCosts& plain, const Job& job, const Rates& rates) {
    LayerCosts costs = plain;
    addRecomputed(job, rates, costs.dense.cost);
    addRecomputed(job, rates, costs.expert.cost);
    return costs;
}

LayerCosts withSharding(const LayerCosts& costs, const Job& job, const Rates& rates,
    const CollectiveCosts& collectives) {
    if (!exchangesShards(job))
        return costs;
    LayerCosts sharded = costs;
    const auto add = [&](PassCosts& pass) {
        for (LayerCost* one : {&pass.dense, &pass.expert, &pass.embedding, &pass.loss})
            addShards(job, rates, collectives, *one);
    };
    add(sharded);
    if (sharded.decode)
        add(*sharded.decode);
    return sharded;
}

LayerCosts layerCostsOf(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives) {
    const LayerCosts plain = plainCostsOf(job, rates, operators, collectives);
    return withSharding(withRecomputation(plain, job, rates), job, rates, collectives);
}

ModelShare& ModelShare::operator+=(const ModelShare& other) {
    dense += other.dense;
    experts += other.experts;
    hasEmbedding = hasEmbedding || other.hasEmbedding;
    hasLoss = hasLoss || other.hasLoss;
    return *this;
}

ModelShare shareOf(const Job& job, std::size_t piece) {
    const auto& chunks = job.layout.chunks;
    const layout::StageChunk& chunk = chunks[piece];
    const bool isMixture = job.model.experts > 1;
    ModelShare share;
    share.dense = isMixture ? std::clamp(job.model.denseLayers - chunk.firstLayer, 0, chunk.layers)
                            : chunk.layers;
    share.experts = chunk.layers - share.dense;
    share.hasEmbedding = piece == 0;
    share.hasLoss = piece + 1 == chunks.size();
    return share;
}

std::vector<ModelShare> stageShares(const Job& job) {
    std::vector<ModelShare> shares(static_cast<std::size_t>(job.layout.grid.degrees().pipeline));
    for (std::size_t i = 0; i < job.layout.chunks.size(); ++i)
        shares[static_cast<std::size_t>(job.layout.chunks[i].stage)] += shareOf(job, i);
    if (job.layout.schedule == layout::ScheduleKind::DualPipe) { // and of the other direction
        const std::vector<ModelShare> own = shares;
        for (std::size_t stage = 0; stage < shares.size(); ++stage)
            shares[stage] += own[shares.size() - 1 - stage];
    }
    return shares;
}

PieceCost costOf(
    const Job& job, const PassCosts& layers, const ModelShare& share, double recomputed) {
    PieceCost cost;
    if (share.dense > 0)
        addTimes(cost, layers.dense.cost, share.dense);
    if (share.experts > 0)
        addTimes(cost, layers.expert.cost, share.experts);
    cost.backward[StepPart::Recomputation] *= recomputed;
    if (share.hasEmbedding)
        addTimes(cost, layers.embedding.cost, 1.0);
    if (share.hasLoss) {
        const int more = job.model.nextTokenLayers;
        addTimes(cost, layers.loss.cost, 1.0 + more);
        if (more > 0)
            addTimes(cost, lastLayerOf(job, layers).cost, more);
    }
    waitForHost(cost);
    return cost;
}

const LayerCost& lastLayerOf(const Job& job, const PassCosts& layers) {
    return job.model.experts > 1 ? layers.expert : layers.dense;
}

double sendSeconds(
    const Job& job, const Rates& rates, const CollectiveCosts& collectives, double tokens) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    if (degrees.pipeline <= 1)
        return 0.0;
    const int stride = job.gpus() / degrees.pipeline;
    Collective send{CollectiveKind::SendRecv,
        kSentBytes * tokens * job.model.hidden / degrees.tensor, 2, ranksInside(job, {2, stride})};
    double seconds = collectives.secondsOf(send);
    if (rates.sentMask > 0.0) {
        send.bytes = kSentBytes * job.sequence * job.sequence;
        seconds += rates.sentMask * collectives.secondsOf(send);
    }
    return seconds * (job.layout.virtualStages > 1 ? rates.pipelineExposed : 1.0);
}

} // namespace trainscope::predict
