#pragma once
// Memory that a run's processes took of PyTorch's allocator: by memory snapshots, and by the memory
// events of profilers; with what each iteration allocates, beside the need that the layout
// predicts (MemoryNeed.h). Sizes are B.

#include "core/analysis/RunStudy.h"
#include "core/analysis/machine/AllocatorMemory.h"
#include "core/analysis/machine/MemoryNeed.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

// Rises of the allocated bytes in an iteration.
struct StepAllocations {
    std::int64_t index = 0; // number of the iteration
    TimeRange range;
    std::int64_t count = 0;
    double bytes = 0.0;
    double peak = 0.0; // most allocated meanwhile
};

struct DeviceMemory {
    int rank = 0;
    std::string device; // name, if the rank has several; else empty
    double peakAllocated = 0.0;
    TimeNs peakTime;
    std::optional<double> reservedThen; // at the peak
    std::optional<double> peakReserved;
    std::vector<StepAllocations> steps; // without those that lie outside of the recording
    std::optional<AllocatorRecord> record; // from a snapshot
    std::optional<StageNeed> predicted; // absent: model, layout or batch is not known
};

// By rank and device; empty where nothing was recorded. Cancelled by progress.
Result<std::vector<DeviceMemory>> measuredMemoryOf(const RunStudy& study);

// The parts of a predicted need that are of that use; absent for those that are none of it.
std::optional<double> predictedOf(const StageNeed& need, MemoryUse use);

} // namespace trainscope::analysis
