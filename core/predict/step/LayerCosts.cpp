#include "core/predict/step/LayerCosts.h"

#include "core/predict/operators/RankGroup.h"

#include <algorithm>
#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kGatheredBytes = 2.0; // of a parameter

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
            cost = {cost.forward, {}, 0.0, 0.0, 0.0, 0.0};
    }

    void addOperators(const LayerWork& work, PieceCost& cost) {
        for (const Operator& one : work.operators) {
            const OperatorTime time = m_operators.timeOf(one);
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

    [[nodiscard]] double exposed(ExchangeKind kind, bool isBackward) const {
        switch (kind) {
        case ExchangeKind::Tensor:
            return (1.0 - std::min(1.0, m_rates.tensorHidden))
                * (isBackward && m_job.sequenceParallel ? m_rates.tensorBackward : 1.0);
        case ExchangeKind::Context:
            return isBackward ? m_rates.contextBackward : m_rates.contextForward;
        case ExchangeKind::Expert:
            break;
        }
        // They hide behind another micro-batch, of which a stage has several at a time where it has
        // several pieces of the model.
        return m_job.layout.virtualStages > 1 ? 1.0 - std::min(1.0, m_rates.expertHidden) : 1.0;
    }

    void addExchanges(const LayerWork& work, PieceCost& cost) {
        for (const Exchange& exchange : work.exchanges) {
            const double seconds = m_collectives.secondsOf(exchange.collective);
            const StepPart part = partOf(exchange.kind);
            cost.forward[part] += seconds * exchange.forward * exposed(exchange.kind, false);
            cost.backward[part] += seconds * exchange.backward * exposed(exchange.kind, true);
        }
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

    const Job& m_job;
    Pass m_pass;
    const Rates& m_rates;
    const OperatorCosts& m_operators;
    const CollectiveCosts& m_collectives;
};

void addRecomputed(const Job& job, const Rates& rates, PieceCost& cost) {
    switch (job.recompute) {
    case Recompute::None:
        return;
    case Recompute::Selective:
        if (job.recomputedParts.attentionCore)
            cost.backward[StepPart::Recompute] += cost.forward[StepPart::Attention];
        return;
    case Recompute::PerOperator:
        cost.backward[StepPart::Recompute] += rates.perOperatorForward * cost.forward.total();
        return;
    case Recompute::Full:
        cost.backward[StepPart::Recompute] += cost.forward.total() - cost.unrepeated;
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

} // namespace

bool exchangesShards(const Job& job) {
    const auto& sharding = job.layout.sharding;
    return sharding && sharding->zeroStage >= 2 && sharding->group > 1;
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

} // namespace trainscope::predict
