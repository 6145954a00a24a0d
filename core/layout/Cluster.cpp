#include "core/layout/Cluster.h"

#include <algorithm>
#include <map>
#include <numeric>
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

void applyTopology(Cluster& cluster) {
    const ScaleUpLink link = scaleUpOf(*cluster.topology);
    if (link.kind != PathKind::Unknown) {
        const bool isSameKind = link.name == cluster.scaleUp.name;
        const auto usual = cluster.scaleUp.bandwidth;
        cluster.scaleUp = link;
        if (!link.bandwidth && isSameKind)
            cluster.scaleUp.bandwidth = usual;
    }
    if (!cluster.networkBandwidth)
        cluster.networkBandwidth = networkBandwidthOf(*cluster.topology);
    for (ClusterNode& node : cluster.nodes) {
        for (ClusterGpu& gpu : node.gpus) {
            if (const auto place = gpuPlace(*cluster.topology, gpu.local))
                gpu.nic = cluster.topology->nearestNic(*place);
        }
    }
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
    cluster.pcieBandwidth = facts.pcieBandwidth;
    cluster.networkBandwidth = facts.networkBandwidth;
    cluster.topology = facts.topology;
    cluster.linksFrom = facts.linksFrom;
    if (cluster.topology)
        applyTopology(cluster);
    return cluster;
}

ScaleUpLink scaleUpOf(const Topology& topology) {
    const TopologyPath* worst = nullptr;
    std::optional<double> least;
    for (std::size_t a = 0; a < topology.gpuCount(); ++a) {
        for (std::size_t b = 0; b < topology.gpuCount(); ++b) {
            const TopologyPath& path = topology.path(a, b);
            if (a == b)
                continue;
            if (worst == nullptr || path.kind > worst->kind)
                worst = &path;
            if (path.bandwidth && (!least || *path.bandwidth < *least))
                least = path.bandwidth;
        }
    }
    if (worst == nullptr)
        return {};
    return {
        std::string(nameOf(worst->kind, worst->isSwitched)), worst->kind, worst->isSwitched, least};
}

std::optional<std::size_t> gpuPlace(const Topology& topology, int local) {
    for (std::size_t place = 0; place < topology.gpuCount(); ++place) {
        if (topology.devices()[place].index == local)
            return place;
    }
    return std::nullopt;
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
