#pragma once
// The machine of a run as it stands in the room: racks of nodes, each with its GPUs from the fresh
// air to the exhaust, and the links between them. Plain values, SI.

#include "core/layout/Topology.h"
#include "core/model/Run.h"

namespace trainscope::layout {

struct ClusterGpu {
    int rank = 0;
    int local = 0; // index in its node
    int slot = 0; // place in the air, 0 in front
    bool isRear = false; // in the rear half; the middle GPU of an odd node is not
    std::optional<std::size_t> nic; // its nearest network card, index into the topology's devices

    bool operator==(const ClusterGpu&) const = default;
};

struct ClusterNode {
    int node = 0;
    int rack = 0;
    std::vector<ClusterGpu> gpus; // by slot
};

// Between the GPUs of a node.
struct ScaleUpLink {
    std::string name; // "NVSwitch", "NVLink", "xGMI", "PCIe"; empty: not known
    PathKind kind = PathKind::Unknown;
    bool isSwitched = false; // every GPU to every other at full bandwidth
    std::optional<double> bandwidth; // one GPU, per direction, B/s
};

// A machine but for its single GPUs.
struct ClusterKind {
    std::string gpuModel;
    // By what an order of air that nobody said was inferred, a sentence; empty: said, or assumed.
    std::string airflowEvidence;
    std::optional<int> nodesPerRack; // absent: one row of nodes, all in rack 0
    ScaleUpLink scaleUp;
    int gpusPerCard = 1; // neighbours by local index that are one card, two of AMD's MI250
    std::optional<double> pcieBandwidth; // one GPU to its host, per direction, B/s
    std::optional<double> networkBandwidth; // one GPU out of its node, per direction, B/s
    std::optional<Topology> topology; // one for every node, as imported
    std::string linksFrom; // "hardware catalogue, H200 SXM", "NCCL topology"
};

struct Cluster : ClusterKind {
    std::vector<ClusterNode> nodes; // by number
    bool isAirflowAssumed = true; // ascending local indices, since nobody said the order
    int nodesPerDomain = 1; // nodes that scale-up links join, consecutive by number

    [[nodiscard]] std::size_t gpuCount() const;
};

// The facts a cluster is made from, as a catalogue, a topology or a user states them.
struct ClusterFacts : ClusterKind { // the link is the usual one for that kind of GPU
    std::vector<Gpu> gpus; // in any order
    std::vector<int> airflow; // local indices from front to rear; empty: not known
    std::optional<int> linkDomain; // GPUs that the link joins; a node's when absent
};

// A topology replaces the usual links where it knows them and their speed. GPUs that the order of
// air leaves out stand behind the others, ascending.
Cluster makeCluster(const ClusterFacts& facts);

// The scale-up link of a topology, of its worst GPU: all its links to others together, or the one
// to a switch; where it has none the worst of its ways. Unknown for fewer than two GPUs.
ScaleUpLink scaleUpOf(const Topology& topology);
// The place of the GPU with that index in the topology's devices; topologies number GPUs as nodes
// do.
std::optional<std::size_t> gpuPlace(const Topology& topology, int local);
// Says whether a node's topology can be that of a run. Refused where the run's nodes have GPUs that
// it does not know; a remark where it knows more than they use.
struct MachineFit {
    bool isRefused = false;
    std::string text; // "its nodes have GPU 7, which …"; empty: it fits
};
MachineFit machineFit(const std::vector<int>& known, const std::vector<Gpu>& gpus);
std::vector<int> gpuIndices(const Topology& topology); // as `known`, ascending

// The network cards of a node together, per GPU; absent where it is not told.
std::optional<double> networkBandwidthOf(const Topology& topology);

// Over which link some ranks exchange inside a node: ranks that a topology's NVLink or xGMI does
// not join go over PCIe, however fast the links of others are. The worst way between neighbours of
// the ring that the ranks make; the cluster's own link where no topology tells another, and for
// ranks of several nodes. Named for people: "NVLink", "PCIe between CPUs".
ScaleUpLink linkBetween(const Cluster& cluster, const std::vector<int>& ranks);

} // namespace trainscope::layout
