#include "core/analysis/machine/MemoryConvention.h"
#include "core/predict/prediction/Prediction.h"

#include <algorithm>

namespace trainscope::predict {

analysis::MemoryRequest memoryRequestOf(const Job& job) {
    analysis::MemoryRequest request{.model = job.model, .layout = job.layout};
    request.workload = job.workload;
    request.sequence = job.sequence;
    request.generated = job.generated;
    request.microBatch = job.microBatch;
    request.widths = analysis::widthsOf(toString(job.precision));
    request.sequenceParallel = job.sequenceParallel;
    request.unfusedAttention = job.attention == AttentionKind::Unfused;
    request.dropout = job.dropout;
    request.recompute = job.recompute;
    request.recomputedLayers = job.recomputedLayers;
    request.recomputedParts = job.recomputedParts;
    request.offload = job.offload;
    request.adapters = job.adapters;
    const auto& convention = analysis::memoryConventionOf(
        job.stack.empty() ? RateTable::builtIn().stackOf(job) : job.stack);
    analysis::follow(convention, request);
    // Switched on where GPUs multiply in 4 bits too (FP8_ACT of the submissions).
    if (convention.keepsFrozenNarrow && job.workload == Workload::Lora && job.machine.gpu.fp4Flops)
        request.widths.function = std::min(request.widths.function, request.widths.product);
    job.kept.applyTo(request.widths);
    if (job.execution.attention8)
        request.widths.attention = std::min(request.widths.attention, request.widths.product);
    // Hopper's products of 8 bits take weights along rows and along columns: two copies. Frozen
    // ones are said to be kept alone.
    const bool hasOne = request.widths.weight <= request.widths.product;
    if (convention.keepsFrozenNarrow && job.workload == Workload::Training && hasOne
        && bytesOf(job.precision) == 1.0 && !job.machine.gpu.fp4Flops)
        request.widths.weight *= 2.0;
    return request;
}

} // namespace trainscope::predict
