#pragma once
// PciTree: where PCI devices stand in the kernel's tree (/sys/devices), which names each bridge
// above a device: the way between two of them follows.

#include "core/layout/Topology.h"

#include <cstdint>
#include <filesystem>

namespace trainscope::record {

// Entries of a folder of the kernel (/sys, /proc), which may go while they are read, in order of
// their names; of what cannot be listed none.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

struct PciPlace {
    // Root complex ("pci0000:80"), bridges, and the device itself ("0000:83:00.0").
    std::vector<std::string> way;
    std::filesystem::path folder; // the device's
    std::optional<int> numa;

    [[nodiscard]] const std::string& address() const { return way.back(); }
};

// "0000:41:00.0" of domain, bus, device and function as the kernel packs them (16, 8, 5 and 3
// bits).
std::string pciAddress(std::uint64_t place);

class PciTree {
public:
    // `root`: the folder that has sys.
    explicit PciTree(std::filesystem::path root)
        : m_root(std::move(root)) { }

    // By its address, in any way of writing its domain ("00000000:41:00.0", "0000:41:00.0").
    [[nodiscard]] std::optional<PciPlace> find(std::string_view address) const;
    // Place of the device that `link` leads to, or that it is a part of. Absent: no PCI device.
    [[nodiscard]] std::optional<PciPlace> placeOf(const std::filesystem::path& link) const;

private:
    std::filesystem::path m_root;
};

// Pix: below the same bridge or switch. Pxb: below the same port of the root complex. Phb: of the
// same root complex. Node and Sys: of others, on one NUMA node or on two; where the kernel tells no
// nodes there is one.
layout::PathKind pathBetween(const PciPlace& a, const PciPlace& b);

} // namespace trainscope::record
