#include "core/predict/step/Step.h"

#include "core/model/Gather.h"
#include "core/model/Try.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/operators/Collective.h"

#include <cmath>

namespace trainscope::predict {
namespace {

// The whole less its parts; their sum may be off by its last digits.
double restOf(double whole, const Breakdown& parts) {
    const double rest = whole - parts.total();
    return rest > 1e-12 * whole ? rest : 0.0;
}

// The step of inference: one global batch from its prompts to its last tokens. Micro-batches go
// through the pipeline together, as many as keep its stages busy (Job::inFlight()), group after
// group:
//
//   prefill    Σ stages + sends + (k − 1) · slowest stage, k micro-batches in flight: a stage
//              begins one when the one before is done there and the stage before with it
//   decode     max(k · slowest stage, Σ stages + sends) a token, the token going back to the first
//              stage; a pass's operators have one row a sample, and attention reads the cache as it
//              is in the mean
//   step       (prefill + (generated − 1) · decode of all groups) · (1 + jitter), of the GPUs that
//              a micro-batch needs: others do not wait for them
//
// The prompt gives the first token, so that one pass less than tokens follows. Any thread.

// One pass of a micro-batch through all stages.
struct PipelinePass {
    std::vector<PieceCost> stages; // forward alone
    std::vector<double> seconds; // a stage's
    double send = 0.0; // to the next

    [[nodiscard]] double through() const { return summed<double>(seconds); }
    [[nodiscard]] double slowest() const {
        return *std::max_element(seconds.begin(), seconds.end());
    }
};

class InferenceBuilder {
public:
    InferenceBuilder(const Job& job, const Rates& rates, const LayerCosts& layers,
        const CollectiveCosts& collectives)
        : m_job(job)
        , m_rates(rates)
        , m_collectives(collectives)
        , m_shares(stageShares(job))
        , m_prefill(passOf(layers, 1.0 * job.prompt() / job.layout.grid.degrees().context)) {
        if (layers.decode)
            m_decode = passOf(*layers.decode, 1.0);
    }

    Step build(bool detailed) {
        m_made.inFlight = m_job.inFlight();
        m_made.firstTokenSeconds = prefillOf(m_made.inFlight);
        const int groups = m_job.microbatches() / m_made.inFlight;
        addGroups(m_made.inFlight, groups);
        addGroups(m_job.microbatches() % m_made.inFlight, 1);
        addSlowest();
        addAround();
        if (detailed)
            m_step.schedule = schedule();
        m_step.pieces = m_prefill.stages;
        if (m_decode) {
            m_made.tokenSeconds = roundOf(m_made.inFlight);
            m_made.decodePieces = m_decode->stages;
        }
        m_step.inference = std::move(m_made);
        return std::move(m_step);
    }

private:
    [[nodiscard]] PipelinePass passOf(const PassCosts& layers, double tokensOfSample) const {
        PipelinePass pass;
        for (const ModelShare& share : m_shares) {
            pass.stages.push_back(costOf(m_job, layers, share));
            pass.seconds.push_back(pass.stages.back().forward.total());
        }
        pass.send = sendSeconds(m_job, m_rates, m_collectives, m_job.microBatch * tokensOfSample);
        return pass;
    }

    [[nodiscard]] double sends(int number) const { return m_shares.size() > 1 ? number : 0; }

    [[nodiscard]] double prefillOf(int inFlight) const {
        const int stages = static_cast<int>(m_shares.size());
        return m_prefill.through() + sends(stages - 1) * m_prefill.send
            + (inFlight - 1) * m_prefill.slowest();
    }

    [[nodiscard]] double roundOf(int inFlight) const {
        const int stages = static_cast<int>(m_shares.size());
        return std::max(
            inFlight * m_decode->slowest(), m_decode->through() + sends(stages) * m_decode->send);
    }

    void addGroups(int inFlight, int groups) {
        if (inFlight < 1)
            return;
        m_made.prefillSeconds += groups * prefillOf(inFlight);
        if (m_decode)
            m_made.decodeSeconds += groups * m_job.decodes() * roundOf(inFlight);
    }

    // Time of all micro-batches' decoding on a stage.
    [[nodiscard]] Breakdown decodedBy(std::size_t stage) const {
        return m_decode
            ? m_decode->stages[stage].forward.times(1.0 * m_job.microbatches() * m_job.decodes())
            : Breakdown{};
    }

    void addSlowest() {
        double all = 0.0;
        double most = -1.0;
        for (std::size_t stage = 0; stage < m_shares.size(); ++stage) {
            const Breakdown decode = decodedBy(stage);
            Breakdown step = m_prefill.stages[stage].forward.times(m_job.microbatches());
            step += decode;
            const double seconds = step.total();
            all += seconds;
            if (seconds <= most)
                continue;
            most = seconds;
            m_step.slowestStage = static_cast<int>(stage);
            m_step.breakdown = step;
            m_made.decodeParts = decode;
        }
        m_step.balance = most > 0.0 ? all / static_cast<double>(m_shares.size()) / most : 1.0;
    }

    void addAround() {
        const double passes = m_made.prefillSeconds + m_made.decodeSeconds;
        m_step.breakdown[StepPart::Bubble] = restOf(passes, m_step.breakdown);
        m_step.breakdown[StepPart::Gap] += m_rates.stepSeconds;
        const double gpus = 1.0 * m_job.gpus() / m_job.layout.grid.degrees().data;
        const double doublings = std::max(0.0, std::log2(gpus / 8.0));
        m_step.breakdown[StepPart::Jitter] = m_step.breakdown.total() * m_rates.jitter * doublings;
        m_step.seconds = m_step.least = m_step.breakdown.total();
    }

    // The schedule of the prompts in flight.
    [[nodiscard]] layout::Schedule schedule() const {
        layout::Schedule plan;
        plan.kind = layout::ScheduleKind::GPipe;
        plan.stages = static_cast<int>(m_shares.size());
        plan.microbatches = m_made.inFlight;
        plan.makespan = m_made.firstTokenSeconds;
        double first = 0.0;
        double slowest = 0.0;
        double busy = 0.0;
        for (int stage = 0; stage < plan.stages; ++stage) {
            const double seconds = m_prefill.seconds[static_cast<std::size_t>(stage)];
            slowest = std::max(slowest, seconds);
            for (int i = 0; i < plan.microbatches; ++i) {
                const double begin = first + i * slowest;
                plan.tasks.push_back(
                    {stage, 0, i, layout::TaskKind::Forward, begin, begin + seconds});
            }
            first += seconds + m_prefill.send;
            busy += seconds * plan.microbatches;
            plan.stageBubble.push_back(1.0 - seconds * plan.microbatches / plan.makespan);
            plan.peakInFlight.push_back(plan.microbatches);
        }
        plan.bubbleFraction = 1.0 - busy / (plan.stages * plan.makespan);
        return plan;
    }

    const Job& m_job;
    const Rates& m_rates;
    const CollectiveCosts& m_collectives;
    std::vector<ModelShare> m_shares;
    PipelinePass m_prefill;
    std::optional<PipelinePass> m_decode;
    InferenceTimes m_made;
    Step m_step;
};

// Without tasks of the schedule where it is not `detailed`. The job's layout has chunks, one a
// stage.
Step inferenceStep(const Job& job, const Rates& rates, const LayerCosts& layers,
    const CollectiveCosts& collectives, bool detailed) {
    return InferenceBuilder(job, rates, layers, collectives).build(detailed);
}

constexpr double kGradientBytes = 4.0; // reduced in 32 bits, or all-reduced in 16
constexpr double kParameterBytes = 2.0;

// Parameters that a stage trains on one GPU.
struct Parameters {
    double dense = 0.0;
    double experts = 0.0;
};

class StepBuilder {
public:
    StepBuilder(const Job& job, const std::vector<ModelShare>& shares, const Rates& rates,
        const LayerCosts& layers, const OperatorCosts& operators,
        const CollectiveCosts& collectives)
        : m_job(job)
        , m_rates(rates)
        , m_layers(layers)
        , m_operators(operators)
        , m_collectives(collectives)
        , m_degrees(job.layout.grid.degrees()) {
        takeStages(shares);
    }

    Result<Step> build(bool simulate) {
        addPieces();
        if (simulate) {
            RETURN_IF_ERROR(runSchedule());
        } else {
            estimateSchedule();
        }
        addStepParts();
        return std::move(m_step);
    }

    // Without pieces.
    Step estimate() {
        estimateSchedule();
        addStepParts();
        return std::move(m_step);
    }

private:
    // Stages that have the same of the model cost the same.
    struct StageKind {
        ModelShare share;
        int first = 0; // such stage
        int count = 0;
        Breakdown cost; // one micro-batch's
        Breakdown forward; // its forward pass
        double seconds = 0.0;
    };

    [[nodiscard]] int stages() const { return m_degrees.pipeline; }

    void takeStages(const std::vector<ModelShare>& shares) {
        m_kindOfStage.reserve(shares.size());
        for (int stage = 0; stage < stages(); ++stage) {
            const ModelShare& share = shares[static_cast<std::size_t>(stage)];
            const auto known = std::find_if(m_stages.rbegin(), m_stages.rend(),
                [&share](const StageKind& kind) { return kind.share == share; });
            if (known != m_stages.rend()) {
                ++known->count;
                m_kindOfStage.push_back(static_cast<std::size_t>(m_stages.rend() - known) - 1);
                continue;
            }
            m_kindOfStage.push_back(m_stages.size());
            const PieceCost cost = costOf(m_job, m_layers, share, shareRecomputed(share.layers()));
            const double times = layout::shareOfMicrobatches(m_job.layout);
            const Breakdown forward = cost.forward.times(times);
            StageKind kind{share, stage, 1, forward, forward, 0.0};
            kind.cost += cost.backward.times(times);
            kind.seconds = kind.cost.total();
            m_stages.push_back(kind);
        }
    }

    [[nodiscard]] double shareRecomputed(int layers) const {
        if (m_job.recompute != Recompute::Full || m_job.recomputedLayers <= 0)
            return 1.0;
        return std::min(1.0, 1.0 * m_job.recomputedLayers / std::max(1, layers));
    }

    [[nodiscard]] Parameters parametersOf(const ModelShare& share) const {
        const LayerCost& expert = m_layers.expert;
        if (m_job.workload == Workload::Lora)
            return {share.dense * m_layers.dense.adapterParameters
                    + share.experts * expert.adapterParameters,
                0.0};
        Parameters held{share.dense * m_layers.dense.parameters + share.experts * expert.parameters,
            share.experts * expert.expertParameters};
        if (share.hasEmbedding)
            held.dense += m_layers.embedding.parameters;
        if (share.hasLoss) {
            const int more = m_job.model.nextTokenLayers;
            held.dense += m_layers.loss.parameters + more * lastLayerOf(m_job, m_layers).parameters;
            held.experts += more * lastLayerOf(m_job, m_layers).expertParameters;
        }
        return held;
    }

    void addPieces() {
        const auto& chunks = m_job.layout.chunks;
        std::vector<int> stageLayers(static_cast<std::size_t>(stages()));
        for (const layout::StageChunk& chunk : chunks)
            stageLayers[static_cast<std::size_t>(chunk.stage)] += chunk.layers;
        for (std::size_t i = 0; i < chunks.size(); ++i)
            m_step.pieces.push_back(costOf(m_job, m_layers, shareOf(m_job, i),
                shareRecomputed(stageLayers[static_cast<std::size_t>(chunks[i].stage)])));
    }

    [[nodiscard]] double sending() const {
        return sendSeconds(m_job, m_rates, m_collectives,
            1.0 * m_job.microBatch * m_job.sequence / m_degrees.context);
    }

    [[nodiscard]] std::vector<layout::PieceTimes> pieceTimes() const {
        std::vector<layout::PieceTimes> times;
        const double blocked = m_rates.sendBlocks * sending();
        for (std::size_t i = 0; i < m_step.pieces.size(); ++i) {
            const PieceCost& piece = m_step.pieces[i];
            const double backward = piece.backward.total();
            const double weights = std::min(piece.weightGradient, backward);
            // The last piece sends nothing on, the first one nothing back.
            times.push_back({piece.forward.total() + (i + 1 < m_step.pieces.size() ? blocked : 0.0),
                backward - weights + (i > 0 ? blocked : 0.0), weights, piece.hiddenForward,
                piece.hiddenBackward});
        }
        return times;
    }

    void takeSchedule(double makespan) {
        const auto slowest = std::max_element(m_stages.begin(), m_stages.end(),
            [](const StageKind& a, const StageKind& b) { return a.seconds < b.seconds; });
        m_step.slowestStage = slowest->first;
        m_step.balance = slowest->seconds > 0.0 ? meanStage() / slowest->seconds : 1.0;
        m_step.forward = slowest->forward;
        m_step.breakdown = slowest->cost.times(m_job.microbatches());
        m_step.breakdown[StepPart::Bubble] = restOf(makespan, m_step.breakdown);
        m_step.least = std::min(makespan, leastMakespan());
    }

    // One micro-batch there and, where that is not put off, back.
    [[nodiscard]] double passing(const LayerCost& layer, double recomputed) const {
        const PieceCost& cost = layer.cost;
        const double back = layout::splitsBackward(m_job.layout.schedule)
            ? 0.0
            : cost.backward.total() - (1.0 - recomputed) * cost.backward[StepPart::Recomputation];
        return cost.forward.total() + back;
    }

    [[nodiscard]] double leastMakespan() const {
        const double microbatches = m_job.microbatches();
        if (m_kindOfStage.size() == 1)
            return microbatches * m_stages.front().seconds;
        if (m_job.layout.schedule == layout::ScheduleKind::DualPipe) { // begins at both ends
            double slowest = 0.0;
            for (const StageKind& kind : m_stages)
                slowest = std::max(slowest, microbatches * kind.seconds);
            return slowest;
        }
        double least = 0.0;
        double before = passing(m_layers.embedding, 1.0); // through the pieces before
        for (std::size_t stage = 0; stage < m_kindOfStage.size(); ++stage) {
            const StageKind& kind = m_stages[m_kindOfStage[stage]];
            least = std::max(least, (stage == 0 ? 0.0 : before) + microbatches * kind.seconds);
            const ModelShare piece = shareOf(m_job, stage);
            const double recomputed = shareRecomputed(kind.share.layers());
            if (piece.dense > 0)
                before += piece.dense * passing(m_layers.dense, recomputed);
            if (piece.experts > 0)
                before += piece.experts * passing(m_layers.expert, recomputed);
        }
        return least;
    }

    [[nodiscard]] double meanStage() const {
        double sum = 0.0;
        for (const StageKind& kind : m_stages)
            sum += kind.count * kind.seconds;
        return sum / stages();
    }

    Status runSchedule() {
        layout::ScheduleRequest request;
        request.kind = m_job.layout.schedule;
        request.stages = stages();
        request.microbatches = m_job.microbatches();
        request.virtualStages = m_job.layout.virtualStages;
        request.microbatchGroup = m_job.layout.microbatchGroup;
        request.times = pieceTimes();
        request.sendTime = (1.0 - m_rates.sendBlocks) * sending();
        ASSIGN_OR_RETURN(m_step.schedule, layout::makeSchedule(request));
        takeSchedule(m_step.schedule.makespan);
        return {};
    }

    // Equal stages whose gradients of weights, a third of the work, wait: these fill what others
    // leave empty where there are micro-batches enough, else the passes of the first through all
    // stages and back are the longest way.
    [[nodiscard]] double splitSchedule(double mean, double slowest) const {
        constexpr double kWeights = 1.0 / 3.0;
        const double microbatches = m_job.microbatches();
        const double filled = microbatches * slowest
            + (stages() - 1.0) / m_job.layout.virtualStages * kWeights * mean;
        const double passes = stages() * mean + (microbatches - 1.0) * slowest;
        return std::max(filled, (1.0 - kWeights) * passes + kWeights * mean);
    }

    // As published (Schedule.h), a third of the work being forward passes and another gradients of
    // weights.
    [[nodiscard]] double dualSchedule(double mean, double slowest) const {
        constexpr double kBubble = 2.0 / 3.0;
        return m_job.microbatches() * slowest + kBubble * (stages() / 2.0 - 1.0) * mean;
    }

    void estimateSchedule() {
        double slowest = 0.0;
        for (const StageKind& kind : m_stages)
            slowest = std::max(slowest, kind.seconds);
        const double mean = meanStage();
        const double schedule = m_job.layout.schedule == layout::ScheduleKind::DualPipe
            ? dualSchedule(mean, slowest)
            : layout::splitsBackward(m_job.layout.schedule)
            ? splitSchedule(mean, slowest)
            : m_job.microbatches() * slowest + (stages() - 1.0) / m_job.layout.virtualStages * mean;
        const double sends
            = stages() > 1 ? 2.0 * sending() * (stages() - 1.0 + m_job.microbatches() * 0.1) : 0.0;
        takeSchedule(schedule + sends);
    }

    // Seconds to reduce gradients to their shards and to gather the parameters from them, in a
    // group of GPUs.
    [[nodiscard]] double reduction(double parameters, const RankGroup& group) const {
        if (group.ranks <= 1 || parameters <= 0.0)
            return 0.0;
        Collective exchange{CollectiveKind::ReduceScatter, kGradientBytes * parameters, group.ranks,
            ranksInside(m_job, group)};
        double seconds = m_collectives.secondsOf(exchange);
        exchange.kind = CollectiveKind::AllGather;
        exchange.bytes = kParameterBytes * parameters;
        return seconds + m_collectives.secondsOf(exchange);
    }

    [[nodiscard]] double gradientSeconds(const Parameters& held) const {
        return reduction(held.dense, denseReplicas(m_job))
            + reduction(held.experts, expertReplicas(m_job));
    }

    // Seconds to reduce the gradients of shards over the groups that hold the same.
    [[nodiscard]] double replicaReduction(double parameters, const RankGroup& replicas) const {
        const int most = m_job.layout.sharding->group;
        const RankGroup group = replicas.acrossShards(most);
        return m_collectives.secondsOf({CollectiveKind::AllReduce,
            m_rates.shardedReduceBytes * parameters / replicas.shard(most).ranks, group.ranks,
            ranksInside(m_job, group)});
    }

    [[nodiscard]] double replicaSeconds(const Parameters& held) const {
        return replicaReduction(held.dense, denseReplicas(m_job))
            + replicaReduction(held.experts, expertReplicas(m_job));
    }

    void addStepParts() {
        double gradients = 0.0;
        double optimizer = 0.0;
        for (const StageKind& kind : m_stages) {
            const Parameters held = parametersOf(kind.share);
            gradients = std::max(gradients, exposedGradients(held, kind.seconds));
            optimizer = std::max(optimizer, optimizerSeconds(held));
        }
        m_step.breakdown[StepPart::DataParallel] += gradients;
        m_step.breakdown[StepPart::Optimizer] += optimizer;
        m_step.breakdown[StepPart::Gap] += m_rates.stepSeconds;
        const double busy = m_step.breakdown.total();
        const double doublings = std::max(0.0, std::log2(m_job.gpus() / 8.0));
        const double jitter = m_rates.jitter * doublings;
        m_step.breakdown[StepPart::Jitter] = busy * jitter;
        m_step.seconds = m_step.breakdown.total();
        m_step.least
            = (m_step.least + gradients + optimizer + m_rates.stepSeconds) * (1.0 + jitter);
    }

    [[nodiscard]] double exposedGradients(const Parameters& held, double microBatch) const {
        const bool areScattered = exchangesShards(m_job) && m_job.workload != Workload::Lora;
        const double all = areScattered ? replicaSeconds(held) : gradientSeconds(held);
        return std::max(
            m_rates.dataExposed * all, all - m_rates.dataHidden * microBatch * lastPasses());
    }

    // Micro-batches whose passes hide gradients, and parameters that are gathered for the first
    // ones: the last; with pieces, those of the last group on all pieces but the one whose
    // gradients come last (Narayanan et al. 2021, figure 4).
    [[nodiscard]] double lastPasses() const {
        const double pieces = m_job.layout.virtualStages;
        const double group = std::min(m_job.microbatches(), m_degrees.pipeline);
        return pieces > 1.0 ? std::max(1.0, group * (pieces - 1.0) / pieces) : 1.0;
    }

    [[nodiscard]] double optimizerSeconds(const Parameters& held) const {
        const int most = m_job.layout.sharding ? m_job.layout.sharding->optimizer() : 1;
        const double parameters = held.dense / denseReplicas(m_job).shard(most).ranks
            + held.experts / expertReplicas(m_job).shard(most).ranks;
        const double onHost = m_job.offload.optimizer * parameters;
        const double seconds
            = m_operators.timeOf(optimizerWork(m_job, parameters - onHost)).forward;
        return seconds + (onHost > 0.0 ? hostSeconds(onHost) : 0.0);
    }

    // The host's optimizer (ZeRO-Offload, Ren et al. 2021): gradients in 16 bits come, weights in
    // 16 bits go back, and it passes over its 32-bit numbers. Its memory's share for a GPU is
    // estimated.
    [[nodiscard]] double hostSeconds(double parameters) const {
        constexpr double kMovedBytes = 4.0; // B of a parameter, both ways
        constexpr double kUsualLink = 31.5e9; // B/s, 16 lanes of PCIe 4
        constexpr double kPassedOver = 28.0;
        constexpr double kHostBandwidth = 25e9; // B/s
        return parameters
            * (kMovedBytes / m_job.machine.gpu.pcieBandwidth.value_or(kUsualLink)
                + kPassedOver / kHostBandwidth);
    }

    const Job& m_job;
    const Rates& m_rates;
    const LayerCosts& m_layers;
    const OperatorCosts& m_operators;
    const CollectiveCosts& m_collectives;
    const layout::Degrees& m_degrees;
    std::vector<StageKind> m_stages; // those that differ
    std::vector<std::size_t> m_kindOfStage; // place of each stage's
    Step m_step;
};

Error withoutLayers() {
    return usageError("A prediction needs the number of the model's layers.");
}

} // namespace

Result<Step> predictStep(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives, bool simulate) {
    if (job.layout.chunks.empty())
        return withoutLayers();
    const LayerCosts layers = layerCostsOf(job, rates, operators, collectives);
    if (job.isInference())
        return inferenceStep(job, rates, layers, collectives, simulate);
    return StepBuilder(job, stageShares(job), rates, layers, operators, collectives)
        .build(simulate);
}

Result<Step> predictStep(const Job& job, const Rates& rates, bool simulate) {
    const AnalyticCosts costs(rates);
    return predictStep(job, rates, costs, costs, simulate);
}

Step estimateStep(const Job& job, const std::vector<ModelShare>& shares, const Rates& rates,
    const LayerCosts& layers, const OperatorCosts& operators, const CollectiveCosts& collectives) {
    if (job.isInference())
        return inferenceStep(job, rates, layers, collectives, false);
    return StepBuilder(job, shares, rates, layers, operators, collectives).estimate();
}

} // namespace trainscope::predict
