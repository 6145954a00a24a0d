#pragma once
// Readings of one GPU by AMD SMI: a table of readings, its energy counter, and the driver's table
// of metrics, which is read in one call; with the kernel's file of PCIe traffic where there is one.

#include "importers/record/AmdApi.h"
#include "importers/record/GpuLibrary.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::record {

// The functions live longer. `folder`: the GPU's in the kernel's tree; empty: not known.
std::unique_ptr<Probe> amdProbe(const amd::Functions& library, amd::Handle device, int index,
    const std::filesystem::path& folder);

// Processes that work on the GPUs, by the tables of the kernel's driver, which any user may read:
// sys/class/kfd/kfd/proc/PROCESS/queues/QUEUE/gpuid names the GPU of a queue by a number, and
// topology/nodes/NODE says where the GPU of a number stands (amdgpu's kfd_process.c and
// kfd_topology.c). In order of processes, then GPUs, each once; nullopt where the driver has no
// such tables. `root` has sys. A GPU of which the tables know no place is left out.
std::optional<std::vector<GpuProcess>> amdProcesses(
    const std::vector<GpuFacts>& gpus, const std::string& root);

namespace amd {

double powerCap(const Functions& library, Handle device); // W; NaN: not told

} // namespace amd

} // namespace trainscope::record
