#include "core/predict/search/SearchParts.h"

#include "core/analysis/machine/MemoryNeed.h"
#include "core/predict/prediction/Prediction.h"

#include <iterator>
#include <tuple>

namespace trainscope::predict {
namespace {

class RememberedCosts : public OperatorCosts {
public:
    explicit RememberedCosts(std::shared_ptr<const OperatorCosts> costs)
        : m_costs(std::move(costs)) { }

    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        const Key key{work.kind, work.name, work.precision, work.isCausal, work.hasFrozenWeights,
            work.batch, work.m, work.n, work.k, work.count};
        const auto found = m_times.find(key);
        if (found != m_times.end())
            return found->second;
        return m_times.emplace(key, m_costs->timeOf(work)).first->second;
    }

private:
    using Key = std::tuple<OperatorKind, std::string_view, Precision, bool, bool, double, double,
        double, double, double>;
    std::shared_ptr<const OperatorCosts> m_costs;
    mutable std::map<Key, OperatorTime> m_times;
};

// Formulas are faster than remembering.
JobCosts remembered(JobCosts costs) {
    if (costs.spread)
        costs.operators = std::make_shared<RememberedCosts>(std::move(costs.operators));
    return costs;
}

// From ZeRO 2 on the usual software is another.
std::size_t shardingPlace(const Job& job) {
    return job.layout.sharding && job.layout.sharding->zeroStage >= 2 ? 1 : 0;
}

// Exchanges of experts hide behind other micro-batches where stages are divided, and behind the
// other direction where there are two.
std::size_t flowPlace(const Job& job) {
    if (job.layout.schedule == layout::ScheduleKind::DualPipe)
        return 2;
    return job.layout.virtualStages > 1 ? 1 : 0;
}

// LayerCostCache: costs of layers that the layouts of one part of a search share. They do not
// depend on how a pipeline is scheduled, but on whether its stages are divided; operators that were
// asked once are remembered, since samples take long to ask. One thread.
class LayerCostCache {
public:
    // `costs`: of layouts up to ZeRO 1; `shardedCosts`: of those from ZeRO 2 on.
    LayerCostCache(const JobCosts& costs, const JobCosts& shardedCosts)
        : m_costs{remembered(costs), remembered(shardedCosts)} { }

    // For another number of stages.
    void forget() {
        for (auto& sharding : m_batches) {
            for (auto& batches : sharding)
                batches.clear();
        }
    }

    // Its operators are remembered ones.
    [[nodiscard]] const JobCosts& of(const Job& job) const { return m_costs[shardingPlace(job)]; }

    // Recomputed as the job says, nothing sharded; `batch`: the place of the job's micro-batch.
    const LayerCosts& layersOf(const Job& job, std::size_t batch) {
        auto& batches = m_batches[shardingPlace(job)][flowPlace(job)];
        if (batches.size() <= batch)
            batches.resize(batch + 1);
        auto& [plain, recomputed] = batches[batch];
        const JobCosts& costs = of(job);
        std::optional<LayerCosts>& made = recomputed[static_cast<std::size_t>(job.recompute)];
        if (!plain)
            plain = plainCostsOf(job, costs.rates, *costs.operators, *costs.collectives);
        if (!made)
            made = withRecomputation(*plain, job, costs.rates);
        return *made;
    }

private:
    struct Batch {
        std::optional<LayerCosts> plain;
        std::array<std::optional<LayerCosts>, static_cast<std::size_t>(Recompute::Full) + 1>
            recomputed;
    };

    std::array<JobCosts, 2> m_costs; // sharded or not
    std::array<std::array<std::vector<Batch>, 3>, 2> m_batches; // so, and by flowPlace()
};

// Those that can be the fullest: of stages with as much of the model the first holds most
// activations, and the last has the loss.
std::vector<int> fullestCandidates(const Job& job, const std::vector<ModelShare>& shares) {
    const int stages = job.layout.grid.degrees().pipeline;
    std::vector<int> candidates;
    if (job.layout.schedule == layout::ScheduleKind::DualPipe) { // the other half holds as much
        for (int stage = 0; stage < stages / 2; ++stage)
            candidates.push_back(stage);
        return candidates;
    }
    int mostLayers = -1;
    int mostExperts = -1;
    for (int stage = 0; stage < stages; ++stage) {
        const ModelShare& held = shares[static_cast<std::size_t>(stage)];
        if (held.layers() <= mostLayers && held.experts <= mostExperts && stage + 1 < stages)
            continue;
        mostLayers = std::max(mostLayers, held.layers());
        mostExperts = std::max(mostExperts, held.experts);
        candidates.push_back(stage);
    }
    return candidates;
}

// A shard group, and what each candidate for the fullest stage holds more with it than with a group
// of all ranks.
struct ShardGroup {
    layout::Sharding sharding;
    LayoutChoice choice;
    std::vector<double> moreStates; // B
    bool isOpen = true; // the next larger micro-batch may fit
};

class PartSearcher {
public:
    PartSearcher(const SearchBasis& basis, const LayoutChoice& part)
        : m_basis(basis)
        , m_request(basis.request)
        , m_space(basis.space)
        , m_part(part)
        , m_costs(basis.costs, basis.shardedCosts) { }

    PartResult search() {
        m_result.searched = m_space.allCombinations(m_part);
        if (const auto refusal = refusalOfPart()) {
            refuse(*refusal, m_result.searched);
            return std::move(m_result);
        }
        for (const int pipeline : m_space.pipelines()) {
            if (m_basis.isCancelled())
                break;
            searchPipeline(pipeline);
        }
        return std::move(m_result);
    }

private:
    // One of the micro-batches that divide the batch.
    struct Batch {
        std::size_t at = 0; // its place in the space
        int samples = 1;
        int microbatches = 1;
    };

    void refuse(Refusal reason, std::int64_t combinations) {
        m_result.refused[static_cast<std::size_t>(reason)] += combinations;
    }

    [[nodiscard]] std::optional<Refusal> refusalOfPart() const {
        const catalogue::TrainingModel& model = m_request.model;
        const int keys = std::max(1, model.kvHeads);
        const bool sharesKeys = keys % m_part.tensor == 0 || m_part.tensor % keys == 0;
        if (model.heads % m_part.tensor != 0 || !sharesKeys)
            return Refusal::Heads;
        if (m_part.context > 1 && m_request.sequence % (2 * m_part.context) != 0)
            return Refusal::Sequence;
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Refusal> refusalOf(int pipeline) const {
        const std::int64_t gpus = m_request.cluster.gpus();
        const std::int64_t ranks = std::int64_t{m_part.tensor} * m_part.context * pipeline;
        if (gpus % ranks != 0 || gpus / ranks != m_request.layout.data.value_or(gpus / ranks))
            return Refusal::Ranks;
        const std::int64_t slices = m_part.expertTensor > 0 ? m_part.expertTensor : m_part.tensor;
        if (gpus % (m_part.expert * slices * pipeline) != 0)
            return Refusal::Experts;
        if (pipeline > m_request.model.layers)
            return Refusal::Layers;
        if (m_request.globalBatch % (gpus / ranks) != 0)
            return Refusal::Batch;
        return std::nullopt;
    }

    void searchPipeline(int pipeline) {
        LayoutChoice choice = m_part;
        choice.pipeline = pipeline;
        if (const auto refusal = refusalOf(pipeline)) {
            refuse(*refusal, m_space.combinations(choice));
            return;
        }
        m_costs.forget();
        choice.data = m_request.cluster.gpus() / (m_part.tensor * m_part.context * pipeline);
        const auto shardings = m_space.shardings(choice);
        choice.zeroStage = shardings.front().zeroStage;
        for (const LayoutChoice& flow : m_space.flows(choice))
            searchFlow(flow, shardings);
    }

    void searchFlow(const LayoutChoice& choice, const std::vector<LayoutChoice>& shardings) {
        std::int64_t each = 0; // shardings with their recomputations
        for (const LayoutChoice& one : shardings)
            each += modesOf(one);
        auto job = jobOf(m_request, choice);
        if (!job.hasValue()) {
            const auto sizes = static_cast<std::int64_t>(m_space.microBatches().size());
            refuse(Refusal::Layers, each * sizes);
            return;
        }
        m_shares = stageShares(job.value());
        m_stages = fullestCandidates(job.value(), m_shares);
        takeBatches(choice, each);
        for (auto first = shardings.begin(); first != shardings.end();) {
            const auto end = std::find_if(first, shardings.end(),
                [&](const LayoutChoice& one) { return one.zeroStage != first->zeroStage; });
            searchShardings(choice, job.value(), {first, end});
            first = end;
        }
    }

    [[nodiscard]] std::int64_t modesOf(const LayoutChoice& sharding) const {
        return std::ssize(m_space.recomputations(sharding));
    }

    static bool isUnscheduled(const LayoutChoice& choice, int microbatches) {
        if (choice.schedule == layout::ScheduleKind::DualPipe)
            return !layout::checkSchedule(
                {choice.schedule, choice.pipeline, microbatches, 1, {}, 0.0, 0})
                        .hasValue();
        return choice.virtualStages > 1 && microbatches < choice.pipeline;
    }

    void takeBatches(const LayoutChoice& choice, std::int64_t combinations) {
        m_batches.clear();
        const std::vector<int>& sizes = m_space.microBatches();
        for (std::size_t at = 0; at < sizes.size(); ++at) {
            const std::int64_t each = std::int64_t{choice.data} * sizes[at];
            if (m_request.globalBatch % each != 0) {
                refuse(Refusal::Batch, combinations);
                continue;
            }
            const int microbatches = static_cast<int>(m_request.globalBatch / each);
            if (isUnscheduled(choice, microbatches))
                refuse(Refusal::Schedule, combinations);
            else
                m_batches.push_back({at, sizes[at], microbatches});
        }
    }

    // Tries all shardings of one ZeRO stage.
    void searchShardings(
        const LayoutChoice& choice, Job& job, const std::vector<LayoutChoice>& shardings) {
        takeGroups(choice, job, shardings);
        for (const LayoutChoice& mode : m_space.recomputations(shardings.front())) {
            for (ShardGroup& group : m_groups) {
                group.choice.recompute = mode.recompute;
                group.choice.recomputedLayers = mode.recomputedLayers;
                group.isOpen = true;
            }
            job.recompute = mode.recompute;
            job.recomputedLayers = mode.recomputedLayers;
            searchMicroBatches(job);
        }
    }

    void takeGroups(
        const LayoutChoice& choice, Job& job, const std::vector<LayoutChoice>& shardings) {
        const int ranks = choice.data * choice.context;
        m_groups.clear();
        for (const LayoutChoice& one : shardings) {
            const int group = one.shard > 0 ? one.shard : ranks;
            if (ranks % group != 0) {
                refuse(Refusal::Ranks, modesOf(one) * static_cast<std::int64_t>(m_batches.size()));
                continue;
            }
            ShardGroup made{{one.zeroStage, group, ranks / group}, choice, {}};
            made.choice.zeroStage = one.zeroStage;
            made.choice.shard = group < ranks ? group : 0;
            m_groups.push_back(std::move(made));
        }
        std::vector<double> least;
        for (ShardGroup& group : m_groups) {
            job.layout.sharding = sharding(group);
            const auto states = statesOf(job);
            if (least.empty())
                least = states;
            for (std::size_t i = 0; i < states.size(); ++i)
                group.moreStates.push_back(states[i] - least[i]);
        }
    }

    // Absent where nothing is said of it, as of inference.
    static std::optional<layout::Sharding> sharding(const ShardGroup& group) {
        return group.sharding.zeroStage > 0 ? std::optional(group.sharding) : std::nullopt;
    }

    [[nodiscard]] std::vector<double> statesOf(const Job& job) const {
        const analysis::MemoryRequest memory = memoryRequestOf(job);
        std::vector<double> states;
        for (const int stage : m_stages)
            states.push_back(analysis::stageNeedOf(memory, stage).states());
        return states;
    }

    // Larger ones need no less memory: what one of them refuses, it refuses the others too.
    void searchMicroBatches(Job& job) {
        if (m_groups.empty())
            return;
        job.layout.sharding = sharding(m_groups.front());
        analysis::MemoryRequest memory = memoryRequestOf(job);
        std::vector<double> needs(m_stages.size());
        for (std::size_t i = 0; i < m_batches.size(); ++i) {
            const Batch& batch = m_batches[i];
            memory.layout.microbatches = job.layout.microbatches = batch.microbatches;
            memory.microBatch = job.microBatch = batch.samples;
            for (std::size_t at = 0; at < needs.size(); ++at)
                needs[at] = analysis::stageNeedOf(memory, m_stages[at]).total();
            bool isAnyOpen = false;
            for (ShardGroup& group : m_groups) {
                if (!group.isOpen)
                    continue;
                group.choice.microBatch = batch.samples;
                const double bytes = fullest(needs, group);
                group.isOpen = bytes <= m_basis.memoryB;
                if (!group.isOpen) {
                    refuse(Refusal::Memory, static_cast<std::int64_t>(m_batches.size() - i));
                    takeNearest(group.choice, bytes);
                    continue;
                }
                isAnyOpen = true;
                job.layout.sharding = sharding(group);
                estimate(group.choice, job, batch.at, bytes);
            }
            if (!isAnyOpen)
                return;
        }
    }

    static double fullest(const std::vector<double>& needs, const ShardGroup& group) {
        double most = 0.0;
        for (std::size_t i = 0; i < needs.size(); ++i)
            most = std::max(most, needs[i] + group.moreStates[i]);
        return most;
    }

    void takeNearest(const LayoutChoice& choice, double bytes) {
        if (!m_result.nearest || bytes < m_result.nearest->memoryB)
            m_result.nearest = NearestLayout{choice, bytes, bytes - m_basis.memoryB};
    }

    // Least seconds of the layers of the largest stage; no stage is faster in all.
    [[nodiscard]] double leastOf(const Job& job, const LayerCosts& costs) const {
        const int pipeline = job.layout.grid.degrees().pipeline;
        const int layers = (job.model.layers + pipeline - 1) / pipeline;
        const bool areAllRecomputed = job.recomputedLayers == 0;
        const auto total = [areAllRecomputed](const LayerCost& one) {
            const Breakdown& backward = one.cost.backward;
            return one.cost.forward.total() + backward.total()
                - (areAllRecomputed ? 0.0 : backward[StepPart::Recomputation]);
        };
        const bool isMixture = job.model.experts > 1;
        double layer = total(isMixture ? costs.expert : costs.dense);
        if (isMixture && job.model.denseLayers > 0)
            layer = std::min(layer, total(costs.dense));
        return job.microbatches() * layers * layer;
    }

    void estimate(const LayoutChoice& choice, const Job& job, std::size_t batch, double bytes) {
        const JobCosts& constants = m_costs.of(job);
        const LayerCosts& unsharded = m_costs.layersOf(job, batch);
        if (isSlow(leastOf(job, unsharded)))
            return refuse(Refusal::Slow, 1);
        if (!exchangesShards(job))
            return estimate(choice, job, unsharded, bytes);
        const LayerCosts sharded
            = withSharding(unsharded, job, constants.rates, *constants.collectives);
        if (isSlow(leastOf(job, sharded)))
            return refuse(Refusal::Slow, 1);
        estimate(choice, job, sharded, bytes);
    }

    void estimate(
        const LayoutChoice& choice, const Job& job, const LayerCosts& layers, double bytes) {
        const JobCosts& constants = m_costs.of(job);
        const Step step = estimateStep(
            job, m_shares, constants.rates, layers, *constants.operators, *constants.collectives);
        if (isSlow(step.seconds))
            return refuse(Refusal::Slow, 1);
        takeFastest(step.seconds);
        m_result.found.push_back({choice, step.seconds, step.least, bytes,
            activitiesOf(step, step.forward), step.balance});
    }

    void takeFastest(double seconds) {
        double fastest = m_basis.fastest.load(std::memory_order_relaxed);
        while (seconds < fastest && !m_basis.fastest.compare_exchange_weak(fastest, seconds)) { }
    }

    [[nodiscard]] bool isSlow(double seconds) const {
        return seconds > kSlowest * m_basis.fastest.load(std::memory_order_relaxed);
    }

    const SearchBasis& m_basis;
    const SearchRequest& m_request;
    const SearchSpace& m_space;
    LayoutChoice m_part; // TP, CP, EP and ETP
    LayerCostCache m_costs;
    PartResult m_result;
    std::vector<int> m_stages; // candidates for the fullest
    std::vector<ModelShare> m_shares; // a share for each stage
    std::vector<Batch> m_batches; // ascending
    std::vector<ShardGroup> m_groups; // all with one ZeRO stage
};

} // namespace

PartResult searchPart(const SearchBasis& basis, const LayoutChoice& part) {
    return PartSearcher(basis, part).search();
}

} // namespace trainscope::predict
