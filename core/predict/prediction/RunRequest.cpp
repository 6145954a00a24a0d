#include "core/predict/prediction/RunRequest.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunLayout.h"
#include "core/model/Try.h"
#include "core/text/Names.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::predict {

namespace {

constexpr double kHzOfMhz = 1e6; // launch configurations say clocks in whole MHz

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

// A model that is in no catalogue lacks its shape.
std::string wordsOf(JobFact fact, const LaunchConfig& launch) {
    return fact == JobFact::Model && launch.model ? "the shape of its model " + *launch.model
                                                  : "its " + std::string(titleOf(fact));
}

int gpusOf(const Run& run) {
    return std::max({run.worldSize, run.gpuCount, launchedGpus(run.launch)});
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
void takeCluster(const Run& run, const std::optional<layout::Layout>& told, RunRequest& made) {
    const catalogue::GpuModel* gpu = catalogue::findGpuModel(run.gpuModel);
    if (gpu == nullptr)
        made.unknown.push_back(JobFact::Gpu);
    const int gpus = told ? told->grid.worldSize() : gpusOf(run);
    const int nodes = told  ? told->nodes
        : run.nodeCount > 0 ? run.nodeCount
        : gpu != nullptr    ? std::max(1, gpus / usualGpusPerNode(*gpu))
                            : 1;
    if (gpus < 1 || gpus % nodes != 0)
        made.unknown.push_back(JobFact::Gpus);
    if (gpus % nodes != 0)
        made.problem = fmt::format(
            "The {} GPUs of {} do not divide over its {} nodes.", gpus, run.name, nodes);
    ClusterRequest& cluster = made.request.cluster;
    cluster = clusterOf(
        gpu != nullptr ? *gpu : catalogue::GpuModel(), nodes, std::max(1, gpus / nodes));
    if (told && gpus != told->nodes * told->gpusPerNode)
        made.notes.push_back(
            fmt::format("The {} GPUs of the run do not fill its nodes of {}; {} nodes of {} are "
                        "taken.",
                gpus, told->gpusPerNode, cluster.nodes, cluster.gpusPerNode));
    if (run.launch.powerLimitW)
        cluster.powerLimitW = *run.launch.powerLimitW;
    if (run.launch.lockedClockMhz)
        cluster.clockHz = kHzOfMhz * *run.launch.lockedClockMhz;
}

void takeBatch(
    const LaunchConfig& launch, const std::optional<layout::Layout>& told, RunRequest& made) {
    const auto take = [&made](const std::optional<int>& known, JobFact fact, int& into) {
        if (!known)
            made.unknown.push_back(fact);
        into = known.value_or(into);
    };
    std::optional<int> batch = launch.globalBatch;
    if (!batch && launch.microBatch && told && told->microbatches) {
        const double counted
            = 1.0 * *launch.microBatch * told->grid.degrees().data * *told->microbatches;
        constexpr double kMost = std::numeric_limits<int>::max();
        batch = static_cast<int>(std::clamp(counted, 0.0, kMost));
    }
    take(launch.microBatch, JobFact::MicroBatch, made.request.microBatch);
    take(batch, JobFact::GlobalBatch, made.request.globalBatch);
    take(launch.sequenceLength, JobFact::Sequence, made.request.sequence);
}

// A single GPU divides nothing, so that nobody has to say it.
Result<std::optional<layout::Layout>> takeLayout(
    const analysis::RunStudy& study, RunRequest& made) {
    const auto told = analysis::runLayout(study);
    auto placed = told.hasValue() ? layout::makeLayout(told.value().request)
                                  : Result<layout::Layout>(told.error());
    if (placed.hasValue()) {
        made.request.layout = told.value().request;
        return std::optional(std::move(placed).value());
    }
    if (placed.error().code != ErrorCode::NotFound && placed.error().code != ErrorCode::Usage)
        return placed.error();
    if (gpusOf(study.run) != 1)
        made.unknown.push_back(JobFact::Layout);
    if (placed.error().code == ErrorCode::Usage)
        made.problem = placed.error().message;
    return std::optional<layout::Layout>();
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

Result<RunRequest> knownRequestOf(const analysis::RunStudy& study) {
    RunRequest made;
    auto shape = analysis::shapeOf(study.run.launch, catalogue::modelCatalogue());
    if (shape.hasValue())
        made.request.model = std::move(shape.value().model);
    else
        made.unknown.push_back(JobFact::Model);
    ASSIGN_OR_RETURN(const auto told, takeLayout(study, made));
    takeCluster(study.run, told, made);
    takeBatch(study.run.launch, told, made);
    std::ranges::sort(made.unknown);
    std::vector<std::string> words;
    for (const JobFact fact : made.unknown)
        words.push_back(wordsOf(fact, study.run.launch));
    if (!words.empty())
        made.unknownText = fmt::format("{} does not say {}, as a prediction needs.{}{}",
            study.run.name, text::joined(words), made.problem.empty() ? "" : " ", made.problem);
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

Result<RunRequest> requestOf(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(auto made, knownRequestOf(study));
    if (!made.unknown.empty())
        return Error{ErrorCode::NotFound, made.unknownText, {}};
    return made;
}

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
