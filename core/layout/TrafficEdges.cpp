#include "core/layout/TrafficEdges.h"

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
    const auto [forward, backward] = pipelineSends(layout, stage);
    const double all = forward + backward;
    std::vector<PeerShare> peers;
    if (forward > 0)
        peers.push_back({group[static_cast<std::size_t>((stage + 1) % stages)], forward / all});
    if (backward > 0)
        peers.push_back(
            {group[static_cast<std::size_t>((stage + stages - 1) % stages)], backward / all});
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
    std::vector<PeerShare> peers;
    addRing({stages.front(), stages.back()}, rank, stages.size() > 1 ? 1.0 : 0.0, peers);
    return peers;
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
    const bool isCut = layout.sharding && layout.sharding->replicas > 1;
    if (*kind == CommunicatorKind::DataContext && isCut && replicaShare > 0.0)
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
