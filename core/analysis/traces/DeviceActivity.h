#pragma once
// All that one pass over a rank's trace tells about its devices besides the kernel table: phases,
// launches, copies; and the kernel table too, where it is wanted.

#include "core/analysis/traces/CopyStatistics.h"
#include "core/analysis/traces/LaunchStatistics.h"
#include "core/analysis/traces/PhaseTimes.h"
#include "core/analysis/traces/TraceBreakdown.h"

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

struct DeviceTrace {
    DeviceBreakdown breakdown;
    DeviceActivity activity;
};

// What traceBreakdown() and deviceActivity() say, of one pass over the spans.
Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress = {});

} // namespace trainscope::analysis
