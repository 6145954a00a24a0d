#pragma once
// Topology of the GPUs of a node by NVML: links between two of them or of both to a switch, else
// the place where their ways over PCIe meet.

#include "core/layout/Topology.h"
#include "importers/record/NvmlApi.h"

#include <vector>

namespace trainscope::record::nvml {

// `devices` by index; nullptr for those that cannot be had.
layout::Topology topologyOf(const Functions& library, const std::vector<Device>& devices);

} // namespace trainscope::record::nvml
