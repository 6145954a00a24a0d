#include "core/analysis/machine/MemoryNeed.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/catalogue/GpuModel.h"
#include "core/layout/LayoutRequest.h"
#include "core/layout/StagePlan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace trainscope::analysis {

namespace {

using layout::CommunicatorKind;

struct Assumed {
    bool shardedOptimizer = false;
    bool recomputation = false;
};

// How many bytes a number of each kind takes, before it is divided.
struct Widths {
    double weight = 2.0;
    double gradient = 4.0;
    double optimizer = 12.0;
    double activation = 2.0;
    double product = 2.0; // the input of a matrix product
};

Widths widthsOf(const LaunchConfig& launch) {
    const std::string precision = launch.precision.value_or("");
    const auto has = [&](const char* word) { return precision.find(word) != std::string::npos; };
    Widths widths;
    if (has("32") && !has("16"))
        widths = {4.0, 4.0, 8.0, 4.0, 4.0};
    else if (has("fp8") || has("float8") || has("FP8"))
        widths.product = 1.0;
    if (launch.workload.value_or(Workload::Training) != Workload::Training)
        widths.gradient = widths.optimizer = 0.0;
    return widths;
}

// What one stage needs.
class Reckoner {
public:
    Reckoner(const LaunchConfig& launch, const layout::Layout& layout,
        const layout::TrafficModel& model, const catalogue::TrainingModel& shape, int stage,
        Assumed assumed)
        : m_launch(launch)
        , m_layout(layout)
        , m_model(model)
        , m_shape(shape)
        , m_stage(stage)
        , m_assumed(assumed)
        , m_widths(widthsOf(launch))
        , m_isInference(launch.workload == Workload::Inference)
        , m_tensor(layout.grid.degrees().tensor)
        , m_pipeline(layout.grid.degrees().pipeline)
        , m_layers(layout.chunks.empty() ? shape.layers / m_pipeline
                                         : layout::layersOf(layout.chunks, stage))
        , m_microbatches(layout.microbatches.value_or(
              layout::microbatchesOf(launch, layout.grid.degrees().data)
                  .value_or(layout.grid.degrees().pipeline))) { }

    [[nodiscard]] MemoryNeed reckon() const {
        const double tokens = m_model.sequence / m_layout.grid.degrees().context;
        const double layer = perToken() * tokens;
        const double held = m_isInference
            ? 2.0 * m_widths.activation * m_model.keyWidth / m_tensor * tokens
            : inFlight()
                * (isRecomputed() ? m_widths.activation * m_model.hidden / spread() * tokens
                                  : layer);
        MemoryNeed need;
        need.states = m_layers * layerStates() + embeddings();
        need.perSample = m_layers * held;
        if (m_isInference || isRecomputed())
            need.perSample += layer; // the one that is worked on
        if (m_pipeline == 1.0 && !m_isInference)
            need.perSample += 6.0 * tokens * m_shape.vocabulary / m_tensor;
        need.perLayer = layerStates() + m_model.microBatch * held;
        need.takesShardedOptimizer = m_assumed.shardedOptimizer;
        need.takesRecomputation = m_assumed.recomputation;
        return need;
    }

private:
    [[nodiscard]] int zeroStage() const {
        if (m_layout.sharding)
            return m_layout.sharding->zeroStage;
        const bool isNamed = m_launch.optimizer.value_or("").find("dist") != std::string::npos;
        return m_assumed.shardedOptimizer || isNamed ? 1 : 0;
    }

    // Bytes of a parameter that is replicated over that many ranks.
    [[nodiscard]] double perParameter(int replicas) const {
        const int group = std::max(
            m_layout.sharding ? std::min(m_layout.sharding->group, replicas) : replicas, 1);
        const auto part = [&](int stage) { return zeroStage() >= stage ? group : 1; };
        return m_widths.weight / part(3) + m_widths.gradient / part(2)
            + m_widths.optimizer / part(1);
    }

    [[nodiscard]] double layerStates() const {
        const auto& grid = m_layout.grid;
        const double dense = perParameter(grid.groupSize(CommunicatorKind::DataContext)) / m_tensor;
        if (m_model.experts <= 1)
            return (m_model.attentionParameters + m_model.mlpParameters) * dense;
        const double ranks = double{1} * grid.groupSize(CommunicatorKind::ExpertTensor)
            * grid.groupSize(CommunicatorKind::Expert);
        return m_model.attentionParameters * dense
            + m_model.mlpParameters * m_model.experts / ranks
            * perParameter(grid.groupSize(CommunicatorKind::ExpertData));
    }

    // The first and the last stage hold a table each, a lone stage both.
    [[nodiscard]] double embeddings() const {
        const bool isFirst = m_stage == 0;
        const bool isLast = m_stage + 1 >= static_cast<int>(m_pipeline);
        const double tables = isFirst && isLast ? (m_model.tiedEmbeddings ? 1.0 : 2.0)
            : isFirst || isLast                 ? 1.0
                                                : 0.0;
        return tables * m_model.embeddingParameters / m_tensor
            * perParameter(m_layout.grid.groupSize(CommunicatorKind::DataContext));
    }

    // By how many the parts outside of tensor parallelism are divided.
    [[nodiscard]] double spread() const { return m_model.sequenceParallel ? m_tensor : 1.0; }

    // Bytes of a token in a layer.
    [[nodiscard]] double perToken() const {
        const double queries = double{1} * m_shape.heads * m_shape.headSize;
        const double inside = m_shape.gatedMlp ? 2.0 : 1.0; // of the MLP, before the last product
        const double plain = m_widths.activation;
        const double product = m_widths.product;
        double whole = (2.0 * plain + product) * m_model.hidden; // norms, input of attention
        if (!m_shape.gatedMlp)
            whole += m_model.hidden * plain; // masks of two dropouts, half as wide
        double cut = plain * (queries + 2.0 * m_model.keyWidth) + product * queries;
        const double mlp = (inside * plain + product) * m_shape.ffn;
        if (m_model.experts <= 1)
            return (whole + product * m_model.hidden) / spread() + (cut + mlp) / m_tensor;
        const double expertTensor = m_layout.grid.groupSize(CommunicatorKind::ExpertTensor);
        return whole / spread() + cut / m_tensor
            + m_model.expertsPerToken * ((product + plain) * m_model.hidden + mlp / expertTensor);
    }

    [[nodiscard]] bool isRecomputed() const {
        return m_assumed.recomputation
            || (m_launch.recompute.value_or(false)
                && m_launch.recomputeGranularity.value_or("full") == "full");
    }

    // Passes of the stage's layers whose activations are held at once.
    [[nodiscard]] double inFlight() const {
        if (m_layout.schedule == layout::ScheduleKind::GPipe)
            return m_microbatches;
        const double least = std::min(m_pipeline - m_stage, m_microbatches);
        const int pieces = m_layout.virtualStages;
        return pieces > 1 ? least * (1.0 + (m_pipeline - 1.0) / (m_pipeline * pieces)) : least;
    }

    const LaunchConfig& m_launch;
    const layout::Layout& m_layout;
    const layout::TrafficModel& m_model;
    const catalogue::TrainingModel& m_shape;
    int m_stage;
    Assumed m_assumed;
    Widths m_widths;
    bool m_isInference;
    double m_tensor;
    double m_pipeline;
    double m_layers; // of the stage
    double m_microbatches;
};

constexpr double kUsable = 0.95; // of a GPU's memory
constexpr double kNoLimit = 1e6; // layers

std::optional<double> memoryOf(const Run& run) {
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr || !model->memoryBytes)
        return std::nullopt;
    return *model->memoryBytes;
}

std::optional<double> usedBy(const layout::Layout& layout, int stage, const RunSummary& summary) {
    std::optional<double> most;
    for (const GpuSummary& gpu : summary.gpus) {
        const int rank = gpu.gpu.rank;
        const auto used = statisticOf(gpu.metrics, "mem_used", &SubjectStatistics::max);
        if (used && rank >= 0 && rank < layout.grid.worldSize()
            && layout.grid.position(rank).pipeline == stage)
            most = std::max(most.value_or(0.0), *used);
    }
    return most;
}

} // namespace

std::optional<MemoryNeed> memoryNeedOf(const LaunchConfig& launch, const layout::Layout& layout,
    int stage, std::optional<double> capacity) {
    const catalogue::ModelCatalogue models = catalogue::modelCatalogue();
    const auto model = trafficModelOf(launch, models);
    const auto shape = shapeOf(launch, models);
    if (!model.hasValue() || !shape.hasValue())
        return std::nullopt;
    const auto need = [&](Assumed assumed) {
        return Reckoner(launch, layout, model.value(), shape.value().model, stage, assumed)
            .reckon();
    };
    const auto fits = [&](const MemoryNeed& one) {
        return !capacity || one.total(model.value().microBatch) <= *capacity;
    };
    const MemoryNeed stated = need({});
    if (fits(stated))
        return stated;
    const bool isTraining = launch.workload.value_or(Workload::Training) == Workload::Training;
    const bool isShardable = isTraining && !layout.sharding && !launch.optimizer
        && layout.grid.groupSize(CommunicatorKind::DataContext) > 1;
    const bool isSilent = !launch.recompute && launch.workload != Workload::Inference;
    for (const Assumed assumed :
        {Assumed{true, false}, Assumed{false, true}, Assumed{true, true}}) {
        if ((assumed.shardedOptimizer && !isShardable) || (assumed.recomputation && !isSilent))
            continue;
        if (const MemoryNeed one = need(assumed); fits(one))
            return one;
    }
    return stated;
}

StageMemory stageMemoryOf(const Run& run, const layout::Layout& layout,
    const std::vector<int>& layers, const RunSummary& summary) {
    StageMemory memory;
    const auto capacity = memoryOf(run);
    const int stages = static_cast<int>(layers.size());
    const int all = std::accumulate(layers.begin(), layers.end(), 0);
    bool isKnown = capacity.has_value();
    for (int stage = 0; stage < stages; ++stage) {
        const int now = layers[static_cast<std::size_t>(stage)];
        const auto used = usedBy(layout, stage, summary);
        const auto need = memoryNeedOf(run.launch, layout, stage);
        isKnown = isKnown && used && need;
        if (!isKnown) {
            memory.most.push_back(all);
            continue;
        }
        const double room = std::max(0.0, kUsable * *capacity - *used) / need->perLayer;
        memory.most.push_back(
            std::min(all, now + static_cast<int>(std::floor(std::min(room, kNoLimit)))));
    }
    memory.wording = isKnown
        ? fmt::format(
            "A stage takes more layers only where its GPUs' memory ({:.0f} GB, {:.0f} % of "
            "it usable) has room beside the most it used, weights, optimizer states and "
            "activations of a layer estimated.",
            *capacity * 1e-9, 100.0 * kUsable)
        : "Whether more layers fit into memory was not checked: the memory used, its size or the "
          "model is not known.";
    return memory;
}

} // namespace trainscope::analysis
