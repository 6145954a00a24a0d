#include "core/predict/prediction/JobLaunch.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

namespace trainscope::predict {

namespace {

// Layers of stages that differ; pieces of virtual stages are not told here.
std::optional<std::string> stageLayersOf(const layout::Layout& layout) {
    const int stages = layout.grid.degrees().pipeline;
    if (layout.virtualStages > 1 || stages == 1)
        return std::nullopt;
    std::string list;
    for (int stage = 0; stage < stages; ++stage)
        list += fmt::format("{}{}", stage == 0 ? "" : ",", layout::layersOf(layout.chunks, stage));
    return list;
}

void addModel(const catalogue::TrainingModel& model, LaunchConfig& launch) {
    launch.model = model.name;
    launch.layers = model.layers;
    launch.hiddenSize = model.hidden;
    launch.attentionHeads = model.heads;
    launch.kvHeads = model.kvHeads;
    launch.headSize = model.headSize;
    launch.ffnSize = model.ffn;
    launch.gatedMlp = model.gatedMlp;
    launch.vocabulary = model.vocabulary;
    launch.tiedEmbeddings = model.tiedEmbeddings;
    if (model.experts > 1) {
        launch.experts = model.experts;
        launch.expertsPerToken = model.expertsPerToken;
    }
}

void addLayout(const layout::Layout& layout, LaunchConfig& launch) {
    const layout::Degrees& degrees = layout.grid.degrees();
    launch.nodes = layout.nodes;
    launch.gpusPerNode = layout.gpusPerNode;
    launch.tensorParallel = degrees.tensor;
    launch.pipelineParallel = degrees.pipeline;
    launch.contextParallel = degrees.context;
    launch.expertParallel = degrees.expert;
    launch.dataParallel = degrees.data;
    if (degrees.expert > 1)
        launch.expertTensorParallel = degrees.expertTensor;
    if (layout.virtualStages > 1)
        launch.virtualPipeline = layout.virtualStages;
    if (degrees.pipeline > 1)
        launch.pipelineSchedule = std::string(toString(layout.schedule));
    if (layout.sharding)
        launch.zeroStage = layout.sharding->zeroStage;
    if (layout.sharding && layout.sharding->replicas > 1)
        launch.shardGroup = layout.sharding->group;
    launch.rankOrder = layout.grid.order().text();
    launch.stageLayers = stageLayersOf(layout);
}

} // namespace

LaunchConfig launchOf(const Job& job) {
    LaunchConfig launch;
    addModel(job.model, launch);
    addLayout(job.layout, launch);
    launch.precision = textOf(job.stated());
    launch.microBatch = job.microBatch;
    launch.globalBatch = job.globalBatch;
    launch.sequenceLength = job.sequence;
    launch.gradientAccumulation = job.microbatches();
    launch.recompute = job.recompute != Recompute::None;
    if (job.recompute != Recompute::None)
        launch.recomputeGranularity = std::string(toString(job.recompute));
    if (job.recomputedLayers > 0)
        launch.recomputedLayers = job.recomputedLayers;
    launch.workload = job.workload;
    if (job.isInference())
        launch.generatedTokens = job.generated;
    launch.sequenceParallel = job.sequenceParallel;
    if (job.workload == Workload::Lora)
        launch.adapters = analysis::textOf(job.adapters);
    if (job.machine.powerLimitW)
        launch.powerLimitW = static_cast<int>(std::lround(*job.machine.powerLimitW));
    if (job.machine.clockHz)
        launch.lockedClockMhz = static_cast<int>(std::lround(*job.machine.clockHz / kHzOfMhz));
    if (job.layout.grid.degrees().context > 1)
        launch.contextExchange = std::string(toString(job.execution.context));
    launch.cudaGraphs = job.execution.graphs;
    if (!job.offload.isNone())
        launch.offload = analysis::textOf(job.offload);
    launch.origin = "the prediction";
    return launch;
}

} // namespace trainscope::predict
