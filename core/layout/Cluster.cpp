#include "core/layout/Cluster.h"

#include "core/model/Gather.h"

#include <fmt/format.h>

#include <map>
#include <numeric>

namespace trainscope::layout {

namespace {

// The way between two GPUs, for people.
std::string_view wordsOf(PathKind kind) {
    constexpr std::array<std::string_view, 9> words{"", "NVLink", "xGMI", "PCIe, one bridge",
        "PCIe, several bridges", "PCIe over a CPU", "PCIe over bridges of a CPU",
        "PCIe between CPUs", ""};
    return words[static_cast<std::size_t>(kind)];
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

// The link of one GPU: all its links to others together, or the one to a switch; without any its
// worst way.
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
    own.name = own.isSwitched && own.kind == PathKind::NvLink ? "NVSwitch"
        : isScaleUp(own.kind) || wordsOf(own.kind).empty()    ? wordsOf(own.kind)
                                                              : "PCIe";
    return own;
}

// Makers' files list PCIe alone: there the usual links of the GPU stand in the cluster.
bool tellsScaleUp(const Topology& topology) {
    for (std::size_t a = 0; a < topology.gpuCount(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (isScaleUp(topology.path(a, b).kind))
                return true;
        }
    }
    return false;
}

// Places of the ranks in the topology, all of one node; empty otherwise.
std::vector<std::size_t> placesOf(const Cluster& cluster, const std::vector<int>& ranks) {
    std::vector<std::size_t> places;
    for (const ClusterNode& node : cluster.nodes) {
        for (const int rank : ranks) {
            const auto gpu = std::find_if(node.gpus.begin(), node.gpus.end(),
                [rank](const ClusterGpu& one) { return one.rank == rank; });
            if (gpu == node.gpus.end())
                continue;
            if (const auto place = gpuPlace(*cluster.topology, gpu->local))
                places.push_back(*place);
        }
        if (!places.empty())
            break;
    }
    return places.size() == ranks.size() ? places : std::vector<std::size_t>();
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
    Cluster cluster{facts, {}, facts.airflow.empty(), 1};
    for (auto& [number, gpus] : byNode) {
        ClusterNode node = nodeOf(number, std::move(gpus), facts.airflow);
        if (facts.nodesPerRack && *facts.nodesPerRack > 0)
            node.rack = number / *facts.nodesPerRack;
        cluster.nodes.push_back(std::move(node));
    }
    cluster.gpusPerCard = std::max(facts.gpusPerCard, 1);
    cluster.nodesPerDomain = nodesPerDomain(cluster.nodes, facts.linkDomain);
    if (cluster.topology)
        applyTopology(cluster);
    return cluster;
}

ScaleUpLink scaleUpOf(const Topology& topology) {
    const std::size_t count = topology.gpuCount();
    if (count < 2)
        return {};
    std::optional<ScaleUpLink> worst;
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
    const std::set<int> used = setOf(gpus, &Gpu::local);
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

ScaleUpLink linkBetween(const Cluster& cluster, const std::vector<int>& ranks) {
    if (!cluster.topology || ranks.size() < 2)
        return cluster.scaleUp;
    const Topology& topology = *cluster.topology;
    if (isScaleUp(cluster.scaleUp.kind) && !tellsScaleUp(topology))
        return cluster.scaleUp;
    const auto places = placesOf(cluster, ranks);
    if (places.empty())
        return cluster.scaleUp;
    std::optional<TopologyPath> worst;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const TopologyPath& path = topology.path(places[i], places[(i + 1) % places.size()]);
        const bool isSlower = worst && path.kind == worst->kind && path.bandwidth
            && (!worst->bandwidth || *path.bandwidth < *worst->bandwidth);
        if (!worst || path.kind > worst->kind || isSlower)
            worst = path;
    }
    if (worst->kind == PathKind::Unknown)
        return cluster.scaleUp;
    // Switched links, and meshes whose links carry a ring together, are the cluster's.
    if (worst->kind == cluster.scaleUp.kind && isScaleUp(worst->kind))
        return cluster.scaleUp;
    return {std::string(wordsOf(worst->kind)), worst->kind, worst->isSwitched, worst->bandwidth};
}

} // namespace trainscope::layout
