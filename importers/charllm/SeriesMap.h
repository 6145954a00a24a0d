#pragma once
// From the names of CharLLM-PPT's files to metrics of the registry, with units as the recorder
// writes them: power W, temperature °C, clocks MHz, utilisation %, NVLink counters KiB, PCIe
// counters B, PCIe rates KB/s (1000 B/s), InfiniBand counters B. Others keep their own name
// and unit 1.

#include "core/model/Series.h"
#include "importers/common/RunFolders.h"

namespace trainscope::importers::charllm {

// `gpusPerNode` > 0 says which node a rank is on. NVML counters are 32 bits wide, the node's
// counters 64.
SeriesDescription describeSeries(const TelemetryName& name, int gpusPerNode);

} // namespace trainscope::importers::charllm
