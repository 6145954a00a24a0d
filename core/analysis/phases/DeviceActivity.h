#pragma once
// All that one pass over a rank's trace tells about its devices besides the kernel table: phases,
// launches, copies.

#include "core/analysis/phases/CopyStatistics.h"
#include "core/analysis/phases/LaunchStatistics.h"
#include "core/analysis/phases/PhaseTimes.h"

#include <vector>

namespace trainscope::analysis {

struct DeviceActivity {
    int rank = -1;
    int device = -1;
    WindowPhases phases;
    std::vector<IterationPhases> iterations; // by time
    MarkEvidence evidence;
    LaunchStatistics launches;
    CopyStatistics copies;
};

// Windows and iterations as for traceBreakdown(). By rank, then device.
Result<std::vector<DeviceActivity>> deviceActivity(const store::Store& store, const Run& run,
    TimeRange window = kAllTime, const IterationChoice& iterations = {},
    const Progress& progress = {});

} // namespace trainscope::analysis
