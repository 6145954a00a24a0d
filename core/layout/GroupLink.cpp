#include "core/layout/GroupLink.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace trainscope::layout {

namespace {

std::string nameOf(PathKind kind) {
    switch (kind) {
    case PathKind::NvLink:
        return "NVLink";
    case PathKind::Xgmi:
        return "xGMI";
    case PathKind::Pix:
        return "PCIe, one bridge";
    case PathKind::Pxb:
        return "PCIe, several bridges";
    case PathKind::Phb:
        return "PCIe over a CPU";
    case PathKind::Node:
        return "PCIe over bridges of a CPU";
    case PathKind::Sys:
        return "PCIe between CPUs";
    default:
        return {};
    }
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

ScaleUpLink linkOfGroup(const Cluster& cluster, const std::vector<int>& ranks) {
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
    return {nameOf(worst->kind), worst->kind, worst->isSwitched, worst->bandwidth};
}

} // namespace trainscope::layout
