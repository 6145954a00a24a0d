#include "core/layout/Cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace trainscope::layout {

namespace {

std::string_view nameOf(PathKind kind, bool isSwitched) {
    switch (kind) {
    case PathKind::NvLink:
        return isSwitched ? "NVSwitch" : "NVLink";
    case PathKind::Xgmi:
        return "xGMI";
    case PathKind::Self:
    case PathKind::Unknown:
        return "";
    default:
        return "PCIe";
    }
}

// Place in the order of air, those that it does not name behind.
int placeIn(const std::vector<int>& airflow, int local) {
    const auto found = std::find(airflow.begin(), airflow.end(), local);
    const auto place = static_cast<int>(found - airflow.begin());
    return found == airflow.end() ? place + local : place;
}

ClusterNode nodeOf(int number, std::vector<Gpu> gpus, const std::vector<int>& airflow) {
    std::sort(gpus.begin(), gpus.end(), [&](const Gpu& a, const Gpu& b) {
        const int first = placeIn(airflow, a.local);
        const int second = placeIn(airflow, b.local);
        return first != second ? first < second : a.rank < b.rank;
    });
    ClusterNode node{number, 0, {}};
    const int front = (static_cast<int>(gpus.size()) + 1) / 2;
    for (const Gpu& gpu : gpus) {
        const int slot = static_cast<int>(node.gpus.size());
        node.gpus.push_back({gpu.rank, gpu.local, slot, slot >= front, std::nullopt});
    }
    return node;
}

// Makers' files list the PCIe devices alone, and a matrix of links does not know their speed: what
// is usual for that GPU stays, where it is soldered in.
bool staysUsual(const ScaleUpLink& usual, const ScaleUpLink& said) {
    const bool isSoldered = isScaleUp(usual.kind) && usual.name != "NVLink bridge";
    return isSoldered && (!isScaleUp(said.kind) || (said.kind == usual.kind && !said.bandwidth));
}

// Nodes that the data do not know in full are as large as the others.
int nodesPerDomain(const std::vector<ClusterNode>& nodes, const std::optional<int>& gpus) {
    int largest = 1;
    for (const ClusterNode& node : nodes) {
        for (const ClusterGpu& gpu : node.gpus)
            largest = std::max(largest, gpu.local + 1);
    }
    return gpus && *gpus >= largest && *gpus % largest == 0 ? *gpus / largest : 1;
}

void applyTopology(Cluster& cluster) {
    const ScaleUpLink link = scaleUpOf(*cluster.topology);
    if (link.kind != PathKind::Unknown && !staysUsual(cluster.scaleUp, link))
        cluster.scaleUp = link;
    if (!cluster.networkBandwidth)
        cluster.networkBandwidth = networkBandwidthOf(*cluster.topology);
    for (ClusterNode& node : cluster.nodes) {
        for (ClusterGpu& gpu : node.gpus) {
            if (const auto place = gpuPlace(*cluster.topology, gpu.local))
                gpu.nic = cluster.topology->nearestNic(*place);
        }
    }
}

// Of one GPU: all its links to others together, or the one to a switch; without any its worst way.
ScaleUpLink linkOf(const Topology& topology, std::size_t gpu) {
    ScaleUpLink linked{{}, PathKind::Unknown, true, 0.0};
    ScaleUpLink other{{}, PathKind::Self, false, std::nullopt};
    for (std::size_t peer = 0; peer < topology.gpuCount(); ++peer) {
        if (peer == gpu)
            continue;
        const TopologyPath& path = topology.path(gpu, peer);
        if (!isScaleUp(path.kind)) {
            if (path.kind > other.kind)
                other = {{}, path.kind, false, path.bandwidth};
            continue;
        }
        linked.kind = path.kind;
        linked.isSwitched = linked.isSwitched && path.isSwitched;
        if (linked.bandwidth && path.bandwidth)
            linked.bandwidth = path.isSwitched ? std::max(*linked.bandwidth, *path.bandwidth)
                                               : *linked.bandwidth + *path.bandwidth;
        else
            linked.bandwidth.reset();
    }
    ScaleUpLink& own = linked.kind == PathKind::Unknown ? other : linked;
    own.name = std::string(nameOf(own.kind, own.isSwitched));
    return own;
}

} // namespace

std::size_t Cluster::gpuCount() const {
    return std::accumulate(nodes.begin(), nodes.end(), std::size_t{0},
        [](std::size_t sum, const ClusterNode& node) { return sum + node.gpus.size(); });
}

Cluster makeCluster(const ClusterFacts& facts) {
    std::map<int, std::vector<Gpu>> byNode;
    for (const Gpu& gpu : facts.gpus)
        byNode[gpu.node].push_back(gpu);
    Cluster cluster;
    for (auto& [number, gpus] : byNode) {
        ClusterNode node = nodeOf(number, std::move(gpus), facts.airflow);
        if (facts.nodesPerRack && *facts.nodesPerRack > 0)
            node.rack = number / *facts.nodesPerRack;
        cluster.nodes.push_back(std::move(node));
    }
    cluster.gpuModel = facts.gpuModel;
    cluster.isAirflowAssumed = facts.airflow.empty();
    cluster.nodesPerRack = facts.nodesPerRack;
    cluster.scaleUp = facts.scaleUp;
    cluster.gpusPerCard = std::max(facts.gpusPerCard, 1);
    cluster.nodesPerDomain = nodesPerDomain(cluster.nodes, facts.linkDomain);
    cluster.pcieBandwidth = facts.pcieBandwidth;
    cluster.networkBandwidth = facts.networkBandwidth;
    cluster.topology = facts.topology;
    cluster.linksFrom = facts.linksFrom;
    if (cluster.topology)
        applyTopology(cluster);
    return cluster;
}

ScaleUpLink scaleUpOf(const Topology& topology) {
    const std::size_t count = topology.gpuCount();
    if (count < 2)
        return {};
    std::optional<ScaleUpLink> worst; // of the GPUs
    for (std::size_t gpu = 0; gpu < count; ++gpu) {
        const ScaleUpLink own = linkOf(topology, gpu);
        const bool isWorse = !worst || own.kind > worst->kind
            || (own.kind == worst->kind
                && own.bandwidth.value_or(0.0) < worst->bandwidth.value_or(0.0));
        if (isWorse)
            worst = own;
    }
    return *worst;
}

std::optional<std::size_t> gpuPlace(const Topology& topology, int local) {
    for (std::size_t place = 0; place < topology.gpuCount(); ++place) {
        if (topology.devices()[place].index == local)
            return place;
    }
    return std::nullopt;
}

MachineFit machineFit(const std::vector<int>& known, const std::vector<Gpu>& gpus) {
    std::set<int> used;
    for (const Gpu& gpu : gpus)
        used.insert(gpu.local);
    const auto missing = std::find_if(used.rbegin(), used.rend(),
        [&](int local) { return std::find(known.begin(), known.end(), local) == known.end(); });
    if (missing != used.rend())
        return {true,
            fmt::format("its nodes have GPU {}, which the topology of {} GPU{} does not have.",
                *missing, known.size(), known.size() == 1 ? "" : "s")};
    if (!used.empty() && used.size() < known.size())
        return {false,
            fmt::format(
                "its nodes use {} of the {} GPUs of the topology.", used.size(), known.size())};
    return {};
}

std::vector<int> gpuIndices(const Topology& topology) {
    std::vector<int> indices;
    for (std::size_t gpu = 0; gpu < topology.gpuCount(); ++gpu)
        indices.push_back(topology.devices()[gpu].index);
    return indices;
}

std::optional<double> networkBandwidthOf(const Topology& topology) {
    double sum = 0.0;
    for (const TopologyDevice& device : topology.devices()) {
        if (device.kind == DeviceKind::Nic && device.bandwidth)
            sum += *device.bandwidth;
    }
    if (sum <= 0.0 || topology.gpuCount() == 0)
        return std::nullopt;
    return sum / static_cast<double>(topology.gpuCount());
}

} // namespace trainscope::layout
