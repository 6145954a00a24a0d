#include "core/analysis/machine/MemoryConvention.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

namespace {

analysis::Recomputation recomputationOf(Recompute recompute) {
    switch (recompute) {
    case Recompute::None:
        return analysis::Recomputation::None;
    case Recompute::Selective:
        return analysis::Recomputation::Selective;
    case Recompute::PerOperator:
        return analysis::Recomputation::PerOperator;
    case Recompute::Full:
        break;
    }
    return analysis::Recomputation::Full;
}

} // namespace

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
    request.recompute = recomputationOf(job.recompute);
    request.recomputedLayers = job.recomputedLayers;
    request.recomputedParts = job.recomputedParts;
    request.offloadedLayers = job.offloadedLayers;
    request.adapters = job.adapters;
    analysis::follow(analysis::memoryConventionOf(RateTable::builtIn().stackOf(job)), request);
    job.kept.applyTo(request.widths);
    return request;
}

} // namespace trainscope::predict
