#include "core/layout/Traffic.h"

#include "core/layout/ScheduleOrder.h"

#include <iterator>

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
    PipelineSends sends;
    for (int chunk = 0; chunk < layout.virtualStages; ++chunk) {
        const int piece = pieceOf(layout.schedule, stages, stage, chunk);
        sends.next += piece < pieces - 1 ? 1 : 0;
        sends.previous += piece > 0 ? 1 : 0;
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

namespace {

std::optional<CommunicatorKind> kindOf(std::string_view key) {
    for (const auto& info : communicatorKinds()) {
        if (info.key == key)
            return info.kind;
    }
    return std::nullopt;
}

// To the next of the ring.
void addRing(const std::vector<int>& group, int rank, double share, std::vector<PeerShare>& peers) {
    const auto at = std::find(group.begin(), group.end(), rank);
    if (group.size() < 2 || at == group.end() || share <= 0.0)
        return;
    peers.push_back({at + 1 == group.end() ? group.front() : *(at + 1), share});
}

std::vector<PeerShare> pipelinePeers(const Layout& layout, int rank) {
    const auto group = layout.grid.groupOf(CommunicatorKind::Pipeline, rank);
    const int stages = static_cast<int>(group.size());
    if (stages < 2)
        return {};
    const int stage = layout.grid.position(rank).pipeline;
    const auto [next, previous] = pipelineSends(layout, stage);
    const double all = next + previous;
    std::vector<PeerShare> peers;
    if (next > 0)
        peers.push_back({group[static_cast<std::size_t>((stage + 1) % stages)], next / all});
    if (previous > 0)
        peers.push_back(
            {group[static_cast<std::size_t>((stage + stages - 1) % stages)], previous / all});
    return peers;
}

std::vector<PeerShare> allOthers(const std::vector<int>& group, int rank) {
    std::vector<PeerShare> peers;
    for (const int other : group) {
        if (other != rank)
            peers.push_back({other, 1.0 / static_cast<double>(group.size() - 1)});
    }
    return peers;
}

// Rings within shard groups, which are consecutive ranks of the group, and between those at equal
// places of them.
std::vector<PeerShare> shardPeers(
    const Sharding& sharding, const std::vector<int>& ranks, int rank, double replicaShare) {
    const auto at = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
    const auto first = ranks.begin() + at / sharding.group * sharding.group;
    std::vector<int> replicas;
    for (auto place = at % sharding.group; place < std::ssize(ranks); place += sharding.group)
        replicas.push_back(ranks[static_cast<std::size_t>(place)]);
    std::vector<PeerShare> peers;
    addRing({first, first + sharding.group}, rank, 1.0 - replicaShare, peers);
    addRing(replicas, rank, replicaShare, peers);
    return peers;
}

std::vector<PeerShare> embeddingPeers(const Layout& layout, int rank) {
    const auto stages = layout.grid.groupOf(CommunicatorKind::Pipeline, rank);
    const int last = stages[static_cast<std::size_t>(layout.lossStage())];
    std::vector<PeerShare> peers;
    addRing({stages.front(), last}, rank, last != stages.front() ? 1.0 : 0.0, peers);
    return peers;
}

// Into shard groups, of gradients and parameters. Traces call "dp" what is "dp_cp" without context
// parallelism.
bool isCut(const Layout& layout, CommunicatorKind kind, const std::vector<int>& ranks,
    double replicaShare) {
    const auto& sharding = layout.sharding;
    if (!sharding || sharding->replicas < 2
        || std::ssize(ranks) != std::ptrdiff_t{sharding->group} * sharding->replicas)
        return false;
    const bool isOfData = kind == CommunicatorKind::DataContext || kind == CommunicatorKind::Data;
    return isOfData && (replicaShare > 0.0 || (sharding->zeroStage > 0 && sharding->group > 1));
}

} // namespace

std::vector<PeerShare> peersOf(
    const Layout& layout, int rank, std::string_view group, double replicaShare) {
    if (group == "embedding")
        return embeddingPeers(layout, rank);
    const auto kind = kindOf(group);
    if (!kind)
        return {};
    if (*kind == CommunicatorKind::Pipeline)
        return pipelinePeers(layout, rank);
    const auto ranks = layout.grid.groupOf(*kind, rank);
    if (*kind == CommunicatorKind::Expert)
        return allOthers(ranks, rank);
    if (isCut(layout, *kind, ranks, replicaShare))
        return shardPeers(*layout.sharding, ranks, rank, replicaShare);
    std::vector<PeerShare> peers;
    addRing(ranks, rank, 1.0, peers);
    return peers;
}

EdgeSums::EdgeSums(const Layout& layout, int nodesPerDomain)
    : m_layout(layout)
    , m_nodesPerDomain(nodesPerDomain)
    , m_nodes(static_cast<std::size_t>(layout.nodes)) { }

void EdgeSums::add(int rank, std::string_view group, double bytes, double replicaShare) {
    const int from = m_layout.nodeOf(rank);
    for (const PeerShare& peer : peersOf(m_layout, rank, group, replicaShare)) {
        const int to = m_layout.nodeOf(peer.rank);
        const double sent = bytes * peer.share;
        NodeTraffic& node = m_nodes[static_cast<std::size_t>(from)];
        const bool isInside = from / m_nodesPerDomain == to / m_nodesPerDomain;
        (isInside ? node.inside : node.outside) += sent;
        if (from == to)
            continue;
        auto edges = m_edges.find(group);
        if (edges == m_edges.end())
            edges = m_edges.emplace(std::string(group), std::map<Edge, double>{}).first;
        edges->second[{std::min(from, to), std::max(from, to)}] += sent;
    }
}

std::vector<NodeEdge> EdgeSums::edges() const {
    std::vector<NodeEdge> result;
    for (const auto& [group, edges] : m_edges) {
        for (const auto& [edge, bytes] : edges)
            result.push_back({edge.a, edge.b, group, bytes});
    }
    return result;
}

} // namespace trainscope::layout
