#pragma once
// Processes that work on AMD's GPUs, by the tables of the kernel's driver, which any user may read:
// sys/class/kfd/kfd/proc/PROCESS/queues/QUEUE/gpuid names the GPU of a queue by a number, and
// topology/nodes/NODE says where the GPU of a number stands (amdgpu's kfd_process.c and
// kfd_topology.c).

#include "importers/record/GpuLibrary.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::record {

// In order of processes, then GPUs, each once; nullopt where the driver has no such tables. `root`
// has sys. A GPU of which the tables know no place is left out.
std::optional<std::vector<GpuProcess>> amdProcesses(
    const std::vector<GpuFacts>& gpus, const std::string& root);

} // namespace trainscope::record
