#include "core/predict/step/Step.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/model/EnumNames.h"
#include "core/model/Try.h"
#include "core/predict/cost/Analytic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr auto kPartNames = enumNames<StepPart>({{StepPart::Gemm, "gemm"},
    {StepPart::Attention, "attention"}, {StepPart::Elementwise, "elementwise"},
    {StepPart::Loss, "loss"}, {StepPart::Embedding, "embedding"},
    {StepPart::Recompute, "recompute"}, {StepPart::TensorParallel, "tensor_parallel"},
    {StepPart::ContextParallel, "context_parallel"}, {StepPart::ExpertParallel, "expert_parallel"},
    {StepPart::Sharding, "sharding"}, {StepPart::Gap, "gap"}, {StepPart::Bubble, "bubble"},
    {StepPart::DataParallel, "data_parallel"}, {StepPart::Optimizer, "optimizer"},
    {StepPart::Jitter, "jitter"}});

constexpr double kGradientBytes = 4.0; // reduced in 32 bits, or all-reduced in 16
constexpr double kParameterBytes = 2.0;

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
        return StepPart::Attention;
    case OperatorKind::Embedding:
        return StepPart::Embedding;
    case OperatorKind::CrossEntropy:
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

// What a stage holds on one GPU.
struct Parameters {
    double dense = 0.0;
    double experts = 0.0;
};

class StepBuilder {
public:
    StepBuilder(const Job& job, const Rates& rates, const OperatorCosts& operators,
        const CollectiveCosts& collectives)
        : m_job(job)
        , m_rates(rates)
        , m_operators(operators)
        , m_collectives(collectives)
        , m_degrees(job.layout.grid.degrees()) { }

    Result<Step> build(bool simulate) {
        if (m_job.layout.chunks.empty())
            return usageError("A prediction needs the number of the model's layers.");
        addPieces();
        if (simulate) {
            RETURN_IF_ERROR(runSchedule());
        } else {
            estimateSchedule();
        }
        addStepParts();
        return std::move(m_step);
    }

private:
    [[nodiscard]] bool isSharded() const {
        return m_job.layout.sharding && m_job.layout.sharding->zeroStage >= 2
            && m_job.layout.sharding->group > 1;
    }
    [[nodiscard]] int stages() const { return m_degrees.pipeline; }

    void addOperators(const LayerWork& work, PieceCost& cost) {
        for (const Operator& one : work.operators) {
            const OperatorTime time = m_operators.timeOf(one);
            const StepPart part = one.name == "logits" ? StepPart::Loss : partOf(one.kind);
            cost.forward[part] += time.forward;
            cost.backward[part] += time.backward;
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

    [[nodiscard]] double shareRecomputed(int layers) const {
        if (m_job.recompute != Recompute::Full || m_job.recomputedLayers <= 0)
            return 1.0;
        return std::min(1.0, 1.0 * m_job.recomputedLayers / std::max(1, layers));
    }

    void addRecomputation(PieceCost& cost) const {
        switch (m_job.recompute) {
        case Recompute::None:
            return;
        case Recompute::Selective:
            cost.backward[StepPart::Recompute] += cost.forward[StepPart::Attention];
            return;
        case Recompute::PerOperator:
            cost.backward[StepPart::Recompute] += m_rates.perOperatorForward * cost.forward.total();
            return;
        case Recompute::Full:
            cost.backward[StepPart::Recompute] += cost.forward.total();
            return;
        }
    }

    PieceCost layerCost(const LayerWork& work) {
        PieceCost cost;
        addOperators(work, cost);
        addExchanges(work, cost);
        addGaps(work.hasExperts, cost);
        addRecomputation(cost);
        addSharding(work.parameters + work.expertParameters, cost);
        return cost;
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
    }

    // Parameters gathered and gradients scattered beside the layer's compute.
    void addSharding(double parameters, PieceCost& cost) {
        if (!isSharded() || parameters <= 0.0)
            return;
        const layout::Sharding& sharding = *m_job.layout.sharding;
        const Collective gather{CollectiveKind::AllGather, kParameterBytes * parameters,
            sharding.group, ranksInside(m_job, sharding.group, m_degrees.tensor)};
        Collective scatter = gather;
        scatter.kind = CollectiveKind::ReduceScatter;
        scatter.bytes = m_rates.shardedReduceBytes * parameters;
        const double gathering = m_collectives.secondsOf(gather);
        const double scattering
            = m_job.workload == Workload::Training ? m_collectives.secondsOf(scatter) : 0.0;
        const auto beside = [this](double compute, double exchange) {
            return std::max(m_rates.shardedSlowdown * exchange, exchange - compute);
        };
        cost.forward[StepPart::Sharding] += beside(cost.forward.total(), gathering);
        const bool gathersAgain = sharding.zeroStage >= 3;
        cost.backward[StepPart::Sharding]
            += beside(cost.backward.total(), scattering + (gathersAgain ? gathering : 0.0));
    }

    static void add(PieceCost& cost, const PieceCost& part, double times) {
        cost.forward += part.forward.times(times);
        cost.backward += part.backward.times(times);
        cost.weightGradient += part.weightGradient * times;
    }

    struct LayerKind {
        LayerWork work;
        PieceCost cost;
    };
    LayerKind kindOf(bool withExperts) {
        LayerKind kind{layerWork(m_job, withExperts), {}};
        kind.cost = layerCost(kind.work);
        return kind;
    }

    void addPieces() {
        const catalogue::TrainingModel& model = m_job.model;
        const bool isMixture = model.experts > 1;
        const LayerKind dense = !isMixture || model.denseLayers > 0 ? kindOf(false) : LayerKind{};
        const LayerKind expert = isMixture ? kindOf(true) : LayerKind{};
        m_parameters.resize(static_cast<std::size_t>(stages()));
        const auto& chunks = m_job.layout.chunks;
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            PieceCost piece;
            Parameters held;
            const int before = isMixture
                ? std::clamp(model.denseLayers - chunks[i].firstLayer, 0, chunks[i].layers)
                : chunks[i].layers;
            const int after = chunks[i].layers - before;
            add(piece, dense.cost, before);
            add(piece, expert.cost, after);
            if (m_job.recompute == Recompute::Full && m_job.recomputedLayers > 0) {
                const int layers = layout::layersOf(chunks, chunks[i].stage);
                piece.backward[StepPart::Recompute] *= shareRecomputed(layers);
            }
            held.dense = before * dense.work.parameters + after * expert.work.parameters;
            held.experts = after * expert.work.expertParameters;
            if (i == 0)
                addEnd(embeddingWork(m_job), piece, held, 1.0);
            if (i + 1 == chunks.size())
                addLast(isMixture ? expert : dense, piece, held);
            Parameters& all = m_parameters[static_cast<std::size_t>(chunks[i].stage)];
            all.dense += held.dense;
            all.experts += held.experts;
            m_step.pieces.push_back(piece);
        }
    }

    void addEnd(const LayerWork& work, PieceCost& piece, Parameters& held, double times) {
        PieceCost cost;
        addOperators(work, cost);
        addExchanges(work, cost);
        addSharding(work.parameters, cost);
        add(piece, cost, times);
        held.dense += work.parameters;
    }

    // The loss, and what predicts further tokens, each with a loss of its own.
    void addLast(const LayerKind& layer, PieceCost& piece, Parameters& held) {
        const int more = m_job.model.nextTokenLayers;
        addEnd(lossWork(m_job), piece, held, 1.0 + more);
        add(piece, layer.cost, more);
        held.dense += more * layer.work.parameters;
        held.experts += more * layer.work.expertParameters;
    }

    [[nodiscard]] double sendSeconds() const {
        if (stages() <= 1)
            return 0.0;
        const double tokens = 1.0 * m_job.microBatch * m_job.sequence / m_degrees.context;
        const int stride = m_job.gpus() / stages();
        Collective send{CollectiveKind::SendReceive,
            kParameterBytes * tokens * m_job.model.hidden / m_degrees.tensor, 2,
            ranksInside(m_job, 2, stride)};
        double seconds = m_collectives.secondsOf(send);
        if (m_rates.sentMask > 0.0) {
            send.bytes = kParameterBytes * m_job.sequence * m_job.sequence;
            seconds += m_rates.sentMask * m_collectives.secondsOf(send);
        }
        return seconds * (m_job.layout.virtualStages > 1 ? m_rates.pipelineExposed : 1.0);
    }

    [[nodiscard]] std::vector<layout::PieceTimes> pieceTimes() const {
        std::vector<layout::PieceTimes> times;
        for (const PieceCost& piece : m_step.pieces) {
            const double backward = piece.backward.total();
            const double weights = std::min(piece.weightGradient, backward);
            const double blocked = m_rates.sendBlocks * sendSeconds();
            times.push_back(
                {piece.forward.total() + blocked, backward - weights + blocked, weights});
        }
        return times;
    }

    // Of each stage, one micro-batch on all its pieces.
    [[nodiscard]] std::vector<Breakdown> stageCosts() const {
        std::vector<Breakdown> costs(static_cast<std::size_t>(stages()));
        for (std::size_t i = 0; i < m_step.pieces.size(); ++i) {
            Breakdown& stage = costs[static_cast<std::size_t>(m_job.layout.chunks[i].stage)];
            stage += m_step.pieces[i].forward;
            stage += m_step.pieces[i].backward;
        }
        return costs;
    }

    void takeSchedule(double makespan) {
        const auto costs = stageCosts();
        const auto slowest = std::max_element(costs.begin(), costs.end(),
            [](const Breakdown& a, const Breakdown& b) { return a.total() < b.total(); });
        m_step.slowestStage = static_cast<int>(slowest - costs.begin());
        m_step.breakdown = slowest->times(m_job.microbatches());
        m_step.breakdown[StepPart::Bubble] = std::max(0.0, makespan - m_step.breakdown.total());
    }

    Status runSchedule() {
        layout::ScheduleRequest request;
        request.kind = m_job.layout.schedule;
        request.stages = stages();
        request.microbatches = m_job.microbatches();
        request.virtualStages = m_job.layout.virtualStages;
        request.microbatchGroup = m_job.layout.microbatchGroup;
        request.times = pieceTimes();
        request.sendTime = sendSeconds();
        ASSIGN_OR_RETURN(m_step.schedule, layout::makeSchedule(request));
        takeSchedule(m_step.schedule.makespan);
        return {};
    }

    void estimateSchedule() {
        const auto costs = stageCosts();
        double slowest = 0.0;
        double sum = 0.0;
        for (const Breakdown& stage : costs) {
            slowest = std::max(slowest, stage.total());
            sum += stage.total();
        }
        const double mean = sum / stages();
        const double fill = (stages() - 1.0) / m_job.layout.virtualStages
            * (layout::splitsBackward(m_job.layout.schedule) ? mean / 3.0 : mean);
        const double sends = stages() > 1
            ? 2.0 * sendSeconds() * (stages() - 1.0 + m_job.microbatches() * 0.1)
            : 0.0;
        takeSchedule(m_job.microbatches() * slowest + fill + sends);
    }

    // Of gradients to their shards and parameters from them, of a group of GPUs.
    [[nodiscard]] double reduction(double parameters, int group, int stride) const {
        if (group <= 1 || parameters <= 0.0)
            return 0.0;
        Collective exchange{CollectiveKind::ReduceScatter, kGradientBytes * parameters, group,
            ranksInside(m_job, group, stride)};
        double seconds = m_collectives.secondsOf(exchange);
        exchange.kind = CollectiveKind::AllGather;
        exchange.bytes = kParameterBytes * parameters;
        return seconds + m_collectives.secondsOf(exchange);
    }

    [[nodiscard]] double gradientSeconds(const Parameters& held) const {
        const int stride = m_degrees.tensor * m_degrees.context;
        return reduction(held.dense, m_degrees.data * m_degrees.context, m_degrees.tensor)
            + reduction(held.experts, m_job.layout.grid.expertData(), stride * m_degrees.expert);
    }

    void addStepParts() {
        const auto costs = stageCosts();
        double gradients = 0.0;
        double optimizer = 0.0;
        for (std::size_t stage = 0; stage < m_parameters.size(); ++stage) {
            const Parameters& held = m_parameters[stage];
            if (!isSharded() && m_job.workload == Workload::Training)
                gradients = std::max(gradients, exposedGradients(held, costs[stage].total()));
            optimizer = std::max(optimizer, optimizerSeconds(held));
        }
        m_step.breakdown[StepPart::DataParallel] += gradients;
        m_step.breakdown[StepPart::Optimizer] += optimizer;
        m_step.breakdown[StepPart::Gap] += m_rates.stepSeconds;
        const double busy = m_step.breakdown.total();
        const double doublings = std::max(0.0, std::log2(m_job.gpus() / 8.0));
        m_step.breakdown[StepPart::Jitter] = busy * m_rates.jitter * doublings;
        m_step.seconds = m_step.breakdown.total();
    }

    [[nodiscard]] double exposedGradients(const Parameters& held, double microBatch) const {
        const double all = gradientSeconds(held);
        return std::max(m_rates.dataExposed * all, all - m_rates.dataHidden * microBatch);
    }

    [[nodiscard]] double optimizerSeconds(const Parameters& held) const {
        if (m_job.workload != Workload::Training)
            return 0.0;
        const bool isDivided = m_job.layout.sharding && m_job.layout.sharding->zeroStage >= 1;
        const double dense = isDivided ? m_job.layout.sharding->optimizer() : 1.0;
        const double experts = isDivided ? m_job.layout.grid.expertData() : 1.0;
        const LayerWork work
            = optimizerWork(m_job, held.dense / dense + held.experts / experts, 1.0);
        return m_operators.timeOf(work.operators.front()).forward;
    }

    const Job& m_job;
    const Rates& m_rates;
    const OperatorCosts& m_operators;
    const CollectiveCosts& m_collectives;
    const layout::Degrees& m_degrees;
    std::vector<Parameters> m_parameters; // by stage
    Step m_step;
};

} // namespace

std::string_view toString(StepPart part) {
    return kPartNames.nameOf(part);
}

double Breakdown::total() const {
    return std::accumulate(m_seconds.begin(), m_seconds.end(), 0.0);
}

Breakdown& Breakdown::operator+=(const Breakdown& other) {
    for (std::size_t i = 0; i < kStepParts; ++i)
        m_seconds[i] += other.m_seconds[i];
    return *this;
}

Breakdown Breakdown::times(double factor) const {
    Breakdown result = *this;
    for (double& seconds : result.m_seconds)
        seconds *= factor;
    return result;
}

Result<Step> predictStep(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives, bool simulate) {
    return StepBuilder(job, rates, operators, collectives).build(simulate);
}

Result<Step> predictStep(const Job& job, const Rates& rates, bool simulate) {
    const AnalyticCosts costs(rates);
    return predictStep(job, rates, costs, costs, simulate);
}

} // namespace trainscope::predict
