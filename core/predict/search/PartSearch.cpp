#include "core/predict/search/PartSearch.h"

#include "core/analysis/machine/MemoryNeed.h"
#include "core/model/Try.h"
#include "core/predict/cost/Analytic.h"
#include "core/predict/prediction/Outlook.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace trainscope::predict {

namespace {

constexpr std::size_t kRecomputes = static_cast<std::size_t>(Recompute::Full) + 1;

// Those that can be the fullest: of stages with as much of the model the first holds most
// activations, and the last has the loss.
std::vector<int> fullestCandidates(const Job& job) {
    const int stages = job.layout.grid.degrees().pipeline;
    struct Held {
        int all = 0;
        int experts = 0;
    };
    std::vector<Held> held(static_cast<std::size_t>(stages));
    const int denseEnd = job.model.experts > 1 ? job.model.denseLayers : job.model.layers;
    for (const layout::StageChunk& chunk : job.layout.chunks) {
        Held& stage = held[static_cast<std::size_t>(chunk.stage)];
        stage.all += chunk.layers;
        stage.experts += chunk.layers - std::clamp(denseEnd - chunk.firstLayer, 0, chunk.layers);
    }
    std::vector<int> candidates;
    Held most{-1, -1};
    for (int stage = 0; stage < stages; ++stage) {
        const Held& one = held[static_cast<std::size_t>(stage)];
        if (one.all <= most.all && one.experts <= most.experts && stage + 1 < stages)
            continue;
        most = {std::max(most.all, one.all), std::max(most.experts, one.experts)};
        candidates.push_back(stage);
    }
    return candidates;
}

class PartSearcher {
public:
    PartSearcher(const SearchBasis& basis, const SearchPart& part)
        : m_basis(basis)
        , m_request(basis.request)
        , m_space(basis.space)
        , m_part(part) { }

    Result<PartResult> search() {
        m_result.searched = m_space.combinations(m_part);
        if (const auto refusal = refusalOfPart()) {
            refuse(*refusal, m_result.searched);
            return std::move(m_result);
        }
        for (const int pipeline : m_space.pipelines()) {
            if (m_basis.isCancelled())
                break;
            RETURN_IF_ERROR(searchPipeline(pipeline));
        }
        return std::move(m_result);
    }

private:
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
        if (gpus % ranks != 0)
            return Refusal::Ranks;
        const std::int64_t slices = m_part.expert > 1 ? 1 : m_part.tensor;
        if (gpus % (m_part.expert * slices * pipeline) != 0)
            return Refusal::Experts;
        if (pipeline > m_request.model.layers)
            return Refusal::Layers;
        if (m_request.globalBatch % (gpus / ranks) != 0)
            return Refusal::Batch;
        return std::nullopt;
    }

    Status searchPipeline(int pipeline) {
        if (m_space.isRepeated(m_part, pipeline))
            return {};
        if (const auto refusal = refusalOf(pipeline)) {
            refuse(*refusal, m_space.combinations(m_part, pipeline));
            return {};
        }
        const auto modes = m_space.recomputations(pipeline, m_part.zeroStage);
        m_costs.assign(kRecomputes * 2 * m_space.microBatches().size(), std::nullopt);
        LayoutChoice choice{m_part.tensor, m_part.context, m_part.expert, 1, pipeline};
        choice.zeroStage = m_part.zeroStage;
        choice.data = m_request.cluster.gpus() / (m_part.tensor * m_part.context * pipeline);
        for (const int virtualStages : m_space.virtualStages(pipeline)) {
            choice.virtualStages = virtualStages;
            RETURN_IF_ERROR(searchLayout(choice, modes));
        }
        return {};
    }

    Status searchLayout(const LayoutChoice& choice, const std::vector<RecomputeChoice>& modes) {
        const auto each = static_cast<std::int64_t>(m_space.microBatches().size());
        auto job = jobOf(m_request, choice);
        if (!job.hasValue()) {
            refuse(Refusal::Layers, each * static_cast<std::int64_t>(modes.size()));
            return {};
        }
        RETURN_IF_ERROR(takeRates(job.value()));
        m_stages = fullestCandidates(job.value());
        for (const RecomputeChoice& mode : modes)
            searchMicroBatches(choice, job.value(), mode);
        return {};
    }

    // They are the same for all layouts of the part.
    Status takeRates(const Job& job) {
        if (m_formulas)
            return {};
        ASSIGN_OR_RETURN(m_rates, m_basis.predictor.ratesOf(job));
        m_formulas.emplace(m_rates);
        return {};
    }

    void searchMicroBatches(LayoutChoice choice, Job& job, const RecomputeChoice& recompute) {
        job.recompute = choice.recompute = recompute.mode;
        job.recomputedLayers = choice.recomputedLayers = recompute.layers;
        analysis::MemoryRequest memory = memoryRequestOf(job);
        const std::vector<int>& sizes = m_space.microBatches();
        for (std::size_t at = 0; at < sizes.size(); ++at) {
            const std::int64_t each = std::int64_t{choice.data} * sizes[at];
            if (m_request.globalBatch % each != 0) {
                refuse(Refusal::Batch, 1);
                continue;
            }
            const int microbatches = static_cast<int>(m_request.globalBatch / each);
            if (choice.virtualStages > 1 && microbatches < choice.pipeline) {
                refuse(Refusal::Schedule, 1);
                continue;
            }
            job.microBatch = choice.microBatch = sizes[at];
            job.layout.microbatches = memory.layout.microbatches = microbatches;
            memory.microBatch = sizes[at];
            const double bytes = fullest(memory);
            if (bytes > m_basis.memoryB) {
                refuse(Refusal::Memory, 1);
                continue;
            }
            keep(choice, job, bytes, costsOf(job, at));
        }
    }

    [[nodiscard]] double fullest(const analysis::MemoryRequest& memory) const {
        double most = 0.0;
        for (const int stage : m_stages) {
            most = std::max(most, analysis::stageNeedOf(memory, stage).total());
            if (most > m_basis.memoryB)
                break;
        }
        return most;
    }

    // Parts of a stage that are recomputed, and numbers of virtual stages above one, share theirs.
    const LayerCosts& costsOf(const Job& job, std::size_t microBatch) {
        const auto mode = static_cast<std::size_t>(job.recompute);
        const std::size_t split = job.layout.virtualStages > 1 ? 1 : 0;
        std::optional<LayerCosts>& costs
            = m_costs[(mode * 2 + split) * m_space.microBatches().size() + microBatch];
        if (!costs)
            costs = layerCostsOf(job, m_rates, *m_formulas, *m_formulas);
        return *costs;
    }

    void keep(const LayoutChoice& choice, const Job& job, double bytes, const LayerCosts& costs) {
        const Step step = estimateStep(job, m_rates, costs, *m_formulas, *m_formulas);
        const LayerCost& layer = job.model.experts > 1 ? costs.expert : costs.dense;
        m_result.found.push_back(
            {choice, step.seconds, bytes, activitiesOf(step, layer.cost.forward), step.balance});
    }

    const SearchBasis& m_basis;
    const SearchRequest& m_request;
    const SearchSpace& m_space;
    SearchPart m_part;
    PartResult m_result;
    std::vector<int> m_stages; // that can be the fullest
    Rates m_rates;
    std::optional<AnalyticCosts> m_formulas;
    std::vector<std::optional<LayerCosts>>
        m_costs; // by recomputation, virtual stages or not, micro-batch
};

} // namespace

Result<PartResult> searchPart(const SearchBasis& basis, const SearchPart& part) {
    return PartSearcher(basis, part).search();
}

} // namespace trainscope::predict
