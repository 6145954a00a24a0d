#pragma once
// Traffic on the links of GPUs while the GPUs worked: the running counters of bytes (or, in their
// place, sampled rates) over the parts of a window in which the utilisation of the GPU, its
// time-weighted mean from one sample of the link to the next, is at least kBusyUtilization.

#include "core/analysis/telemetry/Throttling.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <map>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct BusyTraffic {
    int rank = -1;
    std::string metric; // "nvlink_rx", of a rate too
    double bytes = 0.0; // while busy
    double busyS = 0.0; // more than 0
    [[nodiscard]] double rate() const { return bytes / busyS; } // B/s
};

// GPUs without both link and utilisation, or never busy, are left out. By metric, then rank;
// cancelled by progress.
Result<std::vector<BusyTraffic>> busyTraffic(const store::Store& store,
    const std::map<int, GpuSeries>& gpus, TimeRange window, const Progress& progress = {});

} // namespace trainscope::analysis
