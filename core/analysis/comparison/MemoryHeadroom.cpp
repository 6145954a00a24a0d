#include "core/analysis/comparison/MemoryHeadroom.h"

#include "core/analysis/efficiency/ModelShape.h"
#include "core/analysis/layout/RunTraffic.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

struct Need {
    double states = 0.0; // B
    double perSample = 0.0; // B, of activations
};

// Bytes of weights, gradients and optimizer for a parameter.
double perParameter(const layout::Layout& layout) {
    const layout::Sharding none;
    const layout::Sharding& sharding = layout.sharding ? *layout.sharding : none;
    return 2.0 / sharding.parameters() + 4.0 / sharding.gradients() + 12.0 / sharding.optimizer();
}

std::optional<Need> needOf(const RunMeasures& run) {
    const LaunchConfig& launch = run.run.launch;
    const catalogue::ModelCatalogue models = catalogue::modelCatalogue();
    const auto model = trafficModelOf(launch, models);
    const auto shaped = shapeOf(launch, models);
    if (!run.layout || !model.hasValue() || !shaped.hasValue())
        return std::nullopt;
    const layout::TrafficModel& shape = model.value();
    const layout::Degrees& degrees = run.layout->grid.degrees();
    const double onStage = double{1} * shaped.value().model.layers / degrees.pipeline;
    const double weights = onStage
            * (shape.attentionParameters / degrees.tensor
                + shape.mlpParameters * shape.experts
                    / (double{1} * degrees.tensor * degrees.expert))
        + shape.embeddingParameters / degrees.tensor;
    const bool isRecomputed = launch.recompute.value_or(false)
        && launch.recomputeGranularity.value_or("full") == "full";
    const double perLayer = (isRecomputed ? 2.0 : 34.0) * shape.sequence * shape.hidden
        / degrees.tensor / degrees.context;
    const double inFlight
        = std::min<double>(degrees.pipeline, run.microbatches().value_or(degrees.pipeline));
    return Need{weights * perParameter(*run.layout), perLayer * onStage * inFlight};
}

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
    const auto need = needOf(run);
    const double microBatch = run.run.launch.microBatch.value_or(1);
    if (const auto used = run.value("peak_memory_used_b")) {
        out.used = *used;
    } else if (need) {
        out.used = need->states + need->perSample * microBatch;
        out.isUsedEstimated = true;
    } else {
        return std::nullopt;
    }
    if (need && need->perSample > 0.0 && run.run.launch.microBatch && out.free() >= 0.0)
        out.microBatch = largestFitting(run, microBatch + out.free() / need->perSample);
    return out;
}

} // namespace trainscope::analysis
