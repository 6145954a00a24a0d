#pragma once
// Readings of one GPU by NVML: a table of functions, and fields that are read in one call.

#include "core/layout/Topology.h"
#include "importers/record/NvmlApi.h"
#include "importers/record/Probe.h"

#include <memory>
#include <vector>

namespace trainscope::record {

// Readings of one GPU. The functions live longer.
std::unique_ptr<Probe> nvmlProbe(const nvml::Functions& library, nvml::Device device, int index);

namespace nvml {

// Topology of the GPUs of a node: links between two of them or of both to a switch, else the place
// where their ways over PCIe meet. `devices` by index; nullptr for those that cannot be had.
layout::Topology topologyOf(const Functions& library, const std::vector<Device>& devices);

} // namespace nvml

} // namespace trainscope::record
