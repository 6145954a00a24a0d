#pragma once
// The network cards of a node, as the kernel's sysfs tells them: InfiniBand and Ethernet cards with
// their PCI address, NUMA node and speed, and how far they are from each GPU. A card that is both
// (its ports have network interfaces too) is one, under its InfiniBand name.

#include "core/layout/Topology.h"

#include <string>

namespace trainscope::record {

// `gpus` with the cards beside them. The ways over PCIe that it leaves open are filled in, and the
// NUMA nodes of the GPUs. `root`: the folder that has sys.
layout::Topology withNetworkCards(const layout::Topology& gpus, const std::string& root);

} // namespace trainscope::record
