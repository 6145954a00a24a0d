#include "core/analysis/comparison/MemoryHeadroom.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

// The largest divisor of a replica's batch that is no more than that.
std::optional<int> largestFitting(const RunMeasures& run, double most) {
    if (!run.layout || !run.run.launch.globalBatch)
        return std::nullopt;
    const int batch = *run.run.launch.globalBatch / run.layout->grid.degrees().data;
    for (int size = std::min(batch, static_cast<int>(std::min(most, 1e6))); size >= 1; --size) {
        if (batch % size == 0)
            return size;
    }
    return std::nullopt;
}

} // namespace

std::optional<MemoryHeadroom> memoryHeadroomOf(const RunMeasures& run) {
    if (!run.gpu.memoryBytes)
        return std::nullopt;
    MemoryHeadroom out;
    out.capacity = *run.gpu.memoryBytes;
    const bool hasRun = run.run.status != RunStatus::Oom;
    if (run.layout)
        out.need = memoryNeedOf(
            run.run.launch, *run.layout, 0, hasRun ? std::optional(out.capacity) : std::nullopt);
    const double microBatch = run.run.launch.microBatch.value_or(1);
    const auto recorded = run.value("peak_memory_used_b");
    if (recorded && hasRun) {
        out.used = *recorded;
    } else if (out.need) {
        out.used = out.need->total(microBatch);
        out.isUsedEstimated = true;
    } else {
        return std::nullopt;
    }
    const double perSample = out.need ? out.need->perSample : 0.0;
    if (perSample > 0.0 && run.run.launch.microBatch && out.free() >= 0.0)
        out.microBatch = largestFitting(run, microBatch + out.free() / perSample);
    return out;
}

} // namespace trainscope::analysis
