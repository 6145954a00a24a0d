#include "core/layout/Traffic.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace trainscope::layout {

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
