#include "core/predict/prediction/RunRequest.h"

#include "core/analysis/RunStudy.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/model/Try.h"
#include "core/predict/prediction/JobLaunch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace trainscope::predict {

namespace {

Error unknownOf(const Run& run, std::string_view what) {
    return {ErrorCode::NotFound,
        fmt::format("The {} of {} is not known, which a prediction needs.", what, run.name), {}};
}

Recompute recomputeOf(const LaunchConfig& launch) {
    if (!launch.recompute.value_or(false))
        return Recompute::None;
    return analysis::recomputationFrom(launch.recomputeGranularity.value_or("full"))
        .value_or(Recompute::Full);
}

// Clears the settings that cluster, model and batch decide.
void forgetWhatFollows(layout::LayoutRequest& request) {
    request.nodes.reset();
    request.gpusPerNode.reset();
    request.worldSize.reset();
    request.data.reset();
    request.layers.reset();
    request.microbatches.reset();
}

// A job has equally many GPUs on all nodes: those of a run whose last node has fewer are spread
// evenly.
Status takeCluster(const Run& run, const layout::Layout& layout, RunRequest& made) {
    const catalogue::GpuModel* gpu = catalogue::findGpuModel(run.gpuModel);
    if (gpu == nullptr)
        return unknownOf(run, "kind of GPU");
    const int gpus = layout.grid.worldSize();
    if (gpus % layout.nodes != 0)
        return Error{ErrorCode::NotFound,
            fmt::format("The {} GPUs of {} do not divide over its {} nodes, as a prediction needs.",
                gpus, run.name, layout.nodes),
            {}};
    ClusterRequest& cluster = made.request.cluster;
    cluster = clusterOf(*gpu, layout.nodes, gpus / layout.nodes);
    if (gpus != layout.nodes * layout.gpusPerNode)
        made.notes.push_back(
            fmt::format("The {} GPUs of the run do not fill its nodes of {}; {} nodes of {} are "
                        "taken.",
                gpus, layout.gpusPerNode, cluster.nodes, cluster.gpusPerNode));
    if (run.launch.powerLimitW)
        cluster.powerLimitW = *run.launch.powerLimitW;
    if (run.launch.lockedClockMhz)
        cluster.clockHz = kHzOfMhz * *run.launch.lockedClockMhz;
    return {};
}

Status takeBatch(const Run& run, const layout::Layout& layout, JobRequest& request) {
    const LaunchConfig& launch = run.launch;
    if (!launch.microBatch)
        return unknownOf(run, "micro-batch");
    if (!launch.sequenceLength)
        return unknownOf(run, "sequence length");
    request.microBatch = *launch.microBatch;
    request.sequence = *launch.sequenceLength;
    const int data = layout.grid.degrees().data;
    if (!launch.globalBatch && !layout.microbatches)
        return unknownOf(run, "global batch");
    const double counted = 1.0 * *launch.microBatch * data * layout.microbatches.value_or(1);
    constexpr double kMost = std::numeric_limits<int>::max();
    request.globalBatch
        = launch.globalBatch.value_or(static_cast<int>(std::clamp(counted, 0.0, kMost)));
    return {};
}

void takePrecision(const Run& run, RunRequest& made) {
    const auto stated = run.launch.precision ? statedPrecisionFrom(*run.launch.precision)
                                             : Result<StatedPrecision>(usageError(""));
    made.request.precision = stated.valueOr({}).products;
    made.request.kept = stated.valueOr({}).kept;
    if (!stated.hasValue())
        made.notes.emplace_back("The run does not say its precision; bf16 is taken.");
}

void takeGenerated(const Run& run, RunRequest& made) {
    if (made.request.workload != Workload::Inference)
        return;
    made.request.generated = run.launch.generatedTokens.value_or(0);
    if (!run.launch.generatedTokens)
        made.notes.emplace_back(
            "The run does not say how many tokens it generates; its prompts alone are predicted.");
}

Status takeAdapters(const Run& run, RunRequest& made) {
    if (made.request.workload != Workload::Lora)
        return {};
    if (run.launch.adapters) {
        ASSIGN_OR_RETURN(made.request.adapters, analysis::adaptersFrom(*run.launch.adapters));
        return {};
    }
    made.notes.push_back(fmt::format("The run does not say its adapters; {} is taken.",
        analysis::textOf(made.request.adapters)));
    return {};
}

void takeExecution(const LaunchConfig& launch, RunRequest& made) {
    made.request.execution.context
        = contextExchangeFrom(launch.contextExchange.value_or("")).value_or(ContextExchange::Ring);
    made.request.execution.graphs = launch.cudaGraphs.value_or(false);
    const auto offload = analysis::offloadFrom(launch.offload.value_or(""));
    if (!offload.hasValue())
        made.notes.push_back(offload.error().message + " All numbers are taken to be on the GPUs.");
    made.request.offload = offload.valueOr(analysis::Offload());
}

} // namespace

Result<RunRequest> requestOf(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(auto shape, analysis::shapeOf(study.run.launch, catalogue::modelCatalogue()));
    ASSIGN_OR_RETURN(const auto told, analysis::runLayout(study));
    ASSIGN_OR_RETURN(const auto placed, layout::makeLayout(told.request));
    RunRequest made;
    made.request.model = std::move(shape.model);
    made.request.layout = told.request;
    RETURN_IF_ERROR(takeCluster(study.run, placed, made));
    RETURN_IF_ERROR(takeBatch(study.run, placed, made.request));
    forgetWhatFollows(made.request.layout);
    takePrecision(study.run, made);
    made.request.workload = study.run.launch.workload.value_or(Workload::Training);
    made.request.recompute = recomputeOf(study.run.launch);
    made.request.recomputedLayers = study.run.launch.recomputedLayers.value_or(0);
    made.request.sequenceParallel = study.run.launch.sequenceParallel;
    takeGenerated(study.run, made);
    RETURN_IF_ERROR(takeAdapters(study.run, made));
    takeExecution(study.run.launch, made);
    keepWhatApplies(made.request);
    const auto& layout = made.request.layout;
    if (made.request.workload == Workload::Training && !layout.zeroStage && !layout.fsdp)
        made.notes.emplace_back(
            "The run does not say whether its optimizer is sharded; ZeRO 1 is taken.");
    return made;
}

} // namespace trainscope::predict
