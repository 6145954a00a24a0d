#include "core/layout/Traffic.h"

#include "core/layout/ScheduleOrder.h"

#include <algorithm>

namespace trainscope::layout {

namespace {

double allReduce(double bytes, int ranks) {
    return 2.0 * (ranks - 1) / ranks * bytes;
}

// All-gather, reduce-scatter and all-to-all.
double oneWay(double bytes, int ranks) {
    return static_cast<double>(ranks - 1) / ranks * bytes;
}

// Numbers of layers of a stage.
struct StageLayers {
    int dense = 0;
    int expert = 0; // with a mixture of experts

    [[nodiscard]] int all() const { return dense + expert; }
};

StageLayers layersOf(const Layout& layout, const TrafficModel& model, int stage) {
    StageLayers layers;
    const bool hasExperts = model.experts > 1;
    for (const StageChunk& chunk : layout.chunks) {
        if (chunk.stage != stage)
            continue;
        const int dense = hasExperts
            ? std::clamp(model.denseLayers - chunk.firstLayer, 0, chunk.layers)
            : chunk.layers;
        layers.dense += dense;
        layers.expert += chunk.layers - dense;
    }
    if (stage == layout.lossStage())
        (hasExperts ? layers.expert : layers.dense) += model.nextTokenLayers;
    return layers;
}

class Traffic {
public:
    Traffic(const Layout& layout, const TrafficModel& model, int rank)
        : m_layout(layout)
        , m_grid(layout.grid)
        , m_degrees(layout.grid.degrees())
        , m_model(model)
        , m_rank(rank)
        , m_stage(layout.grid.position(rank).pipeline)
        , m_layers(layersOf(layout, model, m_stage))
        , m_microbatches(*layout.microbatches)
        , m_activations(model.sequence / m_degrees.context * model.microBatch * model.hidden
              * model.activationBytes) { }

    std::vector<CommunicatorTraffic> all() {
        tensor();
        context();
        pipeline();
        experts();
        gradients();
        embeddings();
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool hasExperts() const { return m_model.experts > 1; }
    [[nodiscard]] bool isFirst() const { return m_stage == 0; }
    [[nodiscard]] bool isLast() const { return m_stage == m_layout.lossStage(); }

    void add(std::string group, double bytes, const std::vector<int>& ranks, std::string what) {
        if (bytes > 0.0 && ranks.size() > 1)
            m_result.push_back(
                {std::move(group), bytes, 0.0, linkOf(m_layout, ranks), std::move(what)});
    }

    void add(CommunicatorKind kind, double bytes, std::string what) {
        add(std::string(infoOf(kind).key), bytes, m_grid.groupOf(kind, m_rank), std::move(what));
    }

    // Bytes of one layer's attention or MLP, forward and backward, per micro-batch.
    [[nodiscard]] double halfLayer(double activations, int ranks) const {
        const double extra = m_model.sequenceParallel ? oneWay(activations, ranks) : 0.0;
        return 2.0 * allReduce(activations, ranks) + extra;
    }

    void tensor() {
        const double halves
            = 2.0 * m_layers.dense + (m_model.hasSharedExperts ? 2.0 : 1.0) * m_layers.expert;
        add(CommunicatorKind::Tensor,
            m_microbatches * halves * halfLayer(m_activations, m_degrees.tensor),
            m_model.sequenceParallel ? "activations: reduce-scatter and all-gather"
                                     : "activations: all-reduce");
        if (!hasExperts())
            return;
        // The tokens of all ranks of the group, each once per expert that it is sent to.
        const double dispatched = tokenBytes() * m_model.expertsPerToken * m_degrees.expertTensor;
        add(CommunicatorKind::ExpertTensor,
            m_layers.expert * m_microbatches * 2.0 * allReduce(dispatched, m_degrees.expertTensor),
            "dispatched tokens: all-gather and reduce-scatter");
    }

    void context() {
        const int ranks = m_degrees.context;
        const int parts = m_model.keyHeads > 0 ? std::min(m_degrees.tensor, m_model.keyHeads)
                                               : m_degrees.tensor;
        const double keysAndValues = 2.0 * m_model.sequence / ranks * m_model.microBatch
            * m_model.keyWidth / parts * m_model.activationBytes;
        add(CommunicatorKind::Context,
            m_layers.all() * m_microbatches * 3.0 * (ranks - 1) * keysAndValues,
            "keys and values: around the ring");
    }

    void pipeline() {
        const PipelineSends sends = pipelineSends(m_layout, m_stage);
        const auto group = m_grid.groupOf(CommunicatorKind::Pipeline, m_rank);
        const auto stages = group.size();
        const auto stage = static_cast<std::size_t>(m_stage);
        std::vector<int> ranks{m_rank}; // and those that it sends to
        if (sends.next > 0)
            ranks.push_back(group[(stage + 1) % stages]);
        if (sends.previous > 0)
            ranks.push_back(group[(stage + stages - 1) % stages]);
        const double cut = m_model.sequenceParallel ? m_degrees.tensor : 1.0;
        add("pp", m_microbatches * (sends.next + sends.previous) * m_activations / cut, ranks,
            "activations and their gradients: send and receive");
    }

    // Bytes of the tokens that this rank holds at the entrance to the experts, which are cut along
    // tp.
    [[nodiscard]] double tokenBytes() const { return m_activations / m_degrees.tensor; }

    void experts() {
        if (!hasExperts())
            return;
        const double sent = tokenBytes() * m_model.expertsPerToken;
        add(CommunicatorKind::Expert,
            m_layers.expert * m_microbatches * 4.0 * oneWay(sent, m_degrees.expert),
            "tokens to their experts and back: all-to-all");
    }

    // Gradients and weights of parameters that `group` ranks share, in shard groups of `shard`.
    void reduce(CommunicatorKind kind, double parameters, int group, int shard) {
        const int stage = m_layout.sharding ? m_layout.sharding->zeroStage : 0;
        const double gradients = parameters * m_model.gradientBytes;
        const double weights = parameters * m_model.parameterBytes;
        constexpr int kFull = 3;
        if (stage == 0) {
            add(kind, allReduce(gradients, group), "gradients: all-reduce");
            return;
        }
        const double passes = stage == kFull ? m_microbatches : 1.0;
        const double gathers = stage == kFull ? 2.0 : 1.0;
        const double inside
            = passes * (oneWay(gradients, shard) + gathers * oneWay(weights, shard));
        const double between = allReduce(gradients / shard, group / shard);
        const std::size_t before = m_result.size();
        add(kind, inside + between, "gradients: reduce-scatter, parameters: all-gather");
        if (m_result.size() > before)
            m_result.back().replicaShare = between / (inside + between);
    }

    void gradients() {
        const int shared = m_grid.groupSize(CommunicatorKind::DataContext);
        const int shard = m_layout.sharding ? m_layout.sharding->group : shared;
        const double mlp = hasExperts() ? m_model.denseMlpParameters : m_model.mlpParameters;
        double dense = m_layers.all() * m_model.attentionParameters + m_layers.dense * mlp
            + m_layers.expert * m_model.besideExperts;
        const int tables
            = (isFirst() ? 1 : 0) + (isLast() && !(isFirst() && m_model.tiedEmbeddings) ? 1 : 0);
        dense += tables * m_model.embeddingParameters;
        reduce(CommunicatorKind::DataContext, dense / m_degrees.tensor, shared, shard);
        if (!hasExperts())
            return;
        const int copies = m_grid.groupSize(CommunicatorKind::ExpertData);
        const double own = m_layers.expert * m_model.mlpParameters * m_model.experts
            / (m_degrees.expert * m_degrees.expertTensor);
        reduce(CommunicatorKind::ExpertData, own, copies, copies);
    }

    void embeddings() {
        if (!m_model.tiedEmbeddings || m_layout.lossStage() == 0 || !(isFirst() || isLast()))
            return;
        const auto group = m_grid.groupOf(CommunicatorKind::Pipeline, m_rank);
        add("embedding",
            allReduce(m_model.embeddingParameters / m_degrees.tensor * m_model.gradientBytes, 2),
            {group.front(), group.back()}, "gradients of the embeddings: all-reduce");
    }

    const Layout& m_layout;
    const RankGrid& m_grid;
    const Degrees& m_degrees;
    const TrafficModel& m_model;
    int m_rank;
    int m_stage;
    StageLayers m_layers;
    double m_microbatches;
    double m_activations; // bytes of one micro-batch between two layers
    std::vector<CommunicatorTraffic> m_result;
};

} // namespace

PipelineSends pipelineSends(const Layout& layout, int stage) {
    const int stages = layout.grid.degrees().pipeline;
    const int pieces = stages * layout.virtualStages;
    const bool turnsBack = layout.schedule == ScheduleKind::ZeroBubbleV;
    PipelineSends sends;
    for (int chunk = 0; chunk < layout.virtualStages; ++chunk) {
        const int piece = pieceOf(layout.schedule, stages, stage, chunk);
        // On the way back up the model's next piece is on the stage before.
        const bool isUp = turnsBack && chunk % 2 == 1;
        const bool isTurn = turnsBack && stage == stages - 1;
        if (piece < pieces - 1 && !(isTurn && !isUp))
            ++(isUp ? sends.previous : sends.next);
        if (piece > 0 && !(isTurn && isUp))
            ++(isUp ? sends.next : sends.previous);
    }
    return sends;
}

Result<std::vector<CommunicatorTraffic>> trafficOf(
    const Layout& layout, const TrafficModel& model, int rank) {
    if (layout.chunks.empty() || !layout.microbatches)
        return Error{ErrorCode::NotFound,
            "What the groups exchange follows from the layers and the micro-batches, which are not "
            "known.",
            {}};
    return Traffic(layout, model, rank).all();
}

} // namespace trainscope::layout
