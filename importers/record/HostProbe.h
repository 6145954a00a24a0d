#pragma once
// A node as the Linux kernel tells it in /sys and /proc. HostProbe reads the InfiniBand and
// network counters of each card, power of the processors (RAPL), their temperature and utilisation.
// The network cards themselves are told with their PCI address, NUMA node and speed, and how far
// they are from each GPU: a card that is both InfiniBand and Ethernet (its ports have network
// interfaces too) is one, under its InfiniBand name.
//
// Counters of InfiniBand count words of 4 bytes (Documentation/ABI/stable/sysfs-class-infiniband).
// RAPL counts microjoules up to max_energy_range_uj and is for root alone on most kernels
// (Documentation/power/powercap); power is the mean between two readings.

#include "core/layout/Topology.h"
#include "importers/record/Probe.h"

#include <memory>

namespace trainscope::record {

// `gpus` with the cards beside them. The ways over PCIe that it leaves open are filled in, and the
// NUMA nodes of the GPUs. `root`: the folder that has sys.
layout::Topology withNetworkCards(const layout::Topology& gpus, const std::string& root);

struct HostProbe {
    std::unique_ptr<Probe> probe;
    std::vector<std::string> notes; // files that are there but cannot be read, and the reason
};

// `root`: the folder that has sys and proc.
HostProbe openHostProbe(const std::string& root = "/");

} // namespace trainscope::record
