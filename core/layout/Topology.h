#pragma once
// Topology of one node: the links between its GPUs and network cards, from an NCCL topology file,
// `nvidia-smi topo -m`, or the catalogue, and the facts of a machine that a user states because its
// sources do not tell them. Plain values, SI units.

#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <vector>

namespace trainscope::layout {

enum class DeviceKind { Gpu, Nic };

struct TopologyDevice {
    DeviceKind kind = DeviceKind::Gpu;
    int index = 0; // among its kind, as the source numbers it
    std::string name; // "GPU0", "mlx5_3"
    std::string busId; // "0000:41:00.0"; empty: not said
    std::optional<int> numa;
    std::optional<double> bandwidth; // to its host or of its port, per direction, B/s

    bool operator==(const TopologyDevice&) const = default;
};

// The best way between two devices; names and order as `nvidia-smi topo -m` has them.
enum class PathKind {
    Self,
    NvLink, // links between the two, or of each to a switch
    Xgmi,
    Pix, // one PCIe bridge at most
    Pxb, // several PCIe bridges
    Phb, // over the host bridge of a CPU
    Node, // over host bridges of one NUMA node
    Sys, // over the link between NUMA nodes
    Unknown,
};
constexpr auto namesOf(PathKind) {
    return enumNames("self", "nvlink", "xgmi", "pix", "pxb", "phb", "node", "sys", "unknown");
}

// Links of the scale-up domain itself, rather than of the host.
constexpr bool isScaleUp(PathKind kind) {
    return kind == PathKind::NvLink || kind == PathKind::Xgmi;
}

struct TopologyPath {
    PathKind kind = PathKind::Unknown;
    int links = 0; // NvLink and Xgmi only
    bool isSwitched = false; // through an NVSwitch
    std::optional<double> bandwidth; // per direction, B/s; absent: not known

    bool operator==(const TopologyPath&) const = default;
};

class Topology {
public:
    // GPUs first, by index, then network cards.
    explicit Topology(std::vector<TopologyDevice> devices);

    [[nodiscard]] const std::vector<TopologyDevice>& devices() const { return m_devices; }
    [[nodiscard]] std::size_t gpuCount() const;
    // a and b are places in devices().
    [[nodiscard]] const TopologyPath& path(std::size_t a, std::size_t b) const;
    // Sets both directions.
    void setPath(std::size_t a, std::size_t b, const TopologyPath& path);
    // Both ways are kept as they are told; true where they differ.
    [[nodiscard]] bool isLopsided() const;
    void setOneWay(std::size_t from, std::size_t to, const TopologyPath& path);

    // The network card with the best path to a GPU, the first of equals; absent without any.
    [[nodiscard]] std::optional<std::size_t> nearestNic(std::size_t gpu) const;
    // Network cards with a known way to a GPU: interfaces without a card (bridges, tunnels) have
    // none.
    [[nodiscard]] std::vector<std::size_t> connectedNics() const;

private:
    std::vector<TopologyDevice> m_devices;
    std::vector<TopologyPath> m_paths; // devices × devices
};

// Its form in the database: {"topology":{"from","devices":[…],"paths":[…]},"nodes_per_rack",
// "network_b_per_s","nvlink_domain"}.
struct MachineFacts {
    std::optional<Topology> topology; // one for every node
    std::string topologyFrom; // "NCCL topology, ndv5.xml"
    std::optional<int> nodesPerRack;
    std::optional<double> networkBandwidth; // one GPU out of its node, per direction, B/s
    std::optional<int> linkDomain; // GPUs of one scale-up domain
    std::string gpuModel; // empty: as recorded, or inferred

    [[nodiscard]] bool isEmpty() const {
        return !topology && !nodesPerRack && !networkBandwidth && !linkDomain && gpuModel.empty();
    }
};

std::string machineToJson(const MachineFacts& facts);
// Unreadable says which part cannot be understood.
Result<MachineFacts> machineFromJson(std::string_view json);

} // namespace trainscope::layout
