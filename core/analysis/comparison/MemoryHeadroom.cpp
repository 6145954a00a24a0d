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

struct Degrees {
    double tensor = 1.0;
    double pipeline = 1.0;
    double data = 1.0;
    double expert = 1.0;
};

std::optional<Degrees> degreesOf(const RunMeasures& run) {
    const LaunchConfig& launch = run.run.launch;
    if (!launch.tensorParallel || !launch.pipelineParallel || run.gpus <= 0)
        return std::nullopt;
    Degrees out;
    out.tensor = *launch.tensorParallel;
    out.pipeline = *launch.pipelineParallel;
    out.expert = launch.expertParallel.value_or(1);
    const double model = out.tensor * out.pipeline * launch.contextParallel.value_or(1);
    out.data = launch.dataParallel ? double{1} * *launch.dataParallel : run.gpus / model;
    return out.tensor > 0.0 && out.pipeline > 0.0 && out.data >= 1.0 ? std::optional(out)
                                                                     : std::nullopt;
}

double perParameter(const LaunchConfig& launch, double data) {
    const bool isFull = launch.zeroStage.value_or(0) >= 3 || launch.fsdp.value_or(false);
    const double optimizer = launch.zeroStage.value_or(0) >= 1 ? 12.0 / data : 12.0;
    return isFull ? 18.0 / data : 6.0 + optimizer;
}

std::optional<Need> needOf(const RunMeasures& run) {
    const LaunchConfig& launch = run.run.launch;
    const auto degrees = degreesOf(run);
    const catalogue::ModelCatalogue models = catalogue::modelCatalogue();
    const auto model = trafficModelOf(launch, models);
    const auto shaped = shapeOf(launch, models);
    if (!degrees || !model.hasValue() || !shaped.hasValue() || !launch.globalBatch
        || !launch.microBatch)
        return std::nullopt;
    const layout::TrafficModel& shape = model.value();
    const double onStage = shaped.value().model.layers / degrees->pipeline;
    const double weights = onStage
            * (shape.attentionParameters / degrees->tensor
                + shape.mlpParameters * shape.experts / (degrees->tensor * degrees->expert))
        + shape.embeddingParameters / degrees->tensor;
    const double microbatches
        = std::max(1.0, *launch.globalBatch / (degrees->data * std::max(1, *launch.microBatch)));
    const bool isRecomputed = launch.recompute.value_or(false)
        && launch.recomputeGranularity.value_or("full") == "full";
    const double perLayer = (isRecomputed ? 2.0 : 34.0) * shape.sequence * shape.hidden
        / degrees->tensor / launch.contextParallel.value_or(1);
    return Need{weights * perParameter(launch, degrees->data),
        perLayer * onStage * std::min(degrees->pipeline, microbatches)};
}

// The largest divisor of a replica's batch that is no more than that.
std::optional<int> largestFitting(const RunMeasures& run, double most) {
    const auto degrees = degreesOf(run);
    if (!degrees || !run.run.launch.globalBatch)
        return std::nullopt;
    const int batch = static_cast<int>(*run.run.launch.globalBatch / degrees->data);
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
