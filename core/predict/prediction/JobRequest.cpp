#include "core/predict/prediction/JobRequest.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/predict/cost/Rates.h"

#include <fmt/format.h>

namespace trainscope::predict {

namespace {

constexpr int kUsualNode = 8;
constexpr int kGraceNode = 4;

std::optional<int> wholeAbove0(std::string_view text) {
    const auto value = wholeNumber<int>(text);
    return value && *value > 0 ? value : std::nullopt;
}

std::vector<std::string_view> partsOf(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

Error unreadable(std::string_view part) {
    return usageError(fmt::format(
        "\"{}\" is no part of a layout: say tp, pp, cp, ep, etp, dp, vpp, zero or shard with a "
        "number, fsdp, embedding-layer, loss-layer, order, schedule or stage-layers, as in "
        "tp=8,pp=4.",
        part));
}

// A part without a value.
bool takeFlag(std::string_view key, layout::LayoutRequest& request) {
    if (key == "fsdp")
        request.fsdp = true;
    else if (key == "embedding-layer")
        request.embeddingCounts = true;
    else if (key == "loss-layer")
        request.lossCounts = true;
    else
        return false;
    return true;
}

Status takePart(std::string_view part, layout::LayoutRequest& request) {
    const std::size_t equals = part.find('=');
    const std::string key = lowered(trimmed(part.substr(0, equals)));
    if (equals == std::string_view::npos && takeFlag(key, request))
        return {};
    if (equals == std::string_view::npos)
        return unreadable(part);
    const std::string_view value = trimmed(part.substr(equals + 1));
    if (key == "order")
        return assign(layout::rankOrderFromString(value), request.order);
    if (key == "schedule")
        return assign(layout::scheduleKindFromString(value), request.schedule);
    if (key == "stage-layers") {
        std::string list(value);
        std::replace(list.begin(), list.end(), '-', ',');
        return assign(layout::stageLayersFromString(list), request.stageLayers);
    }
    if (std::optional<int>* const number = layout::numberIn(request, key)) {
        *number = wholeNumber<int>(value);
        if (!*number || **number < (key == "zero" ? 0 : 1))
            return usageError(fmt::format("\"{}\" has to be a whole number above 0.", part));
        return {};
    }
    return unreadable(part);
}

// "-8xH200": a GPU behind what should be a number. The x of "MI300X" has none behind it.
bool hasNoNumber(std::string_view gpu) {
    const std::size_t end = gpu.find_first_of("xX*");
    return end != std::string_view::npos
        && catalogue::findGpuModel(trimmed(gpu.substr(end + 1))) != nullptr;
}

} // namespace

int usualGpusPerNode(const catalogue::GpuModel& gpu) {
    if (gpu.name == "GH200")
        return 1;
    return gpu.linkDomain ? kGraceNode : kUsualNode;
}

ClusterRequest clusterOf(const catalogue::GpuModel& gpu, int nodes, int gpusPerNode) {
    ClusterRequest cluster;
    cluster.gpu = gpu;
    cluster.nodes = nodes;
    cluster.gpusPerNode = gpusPerNode;
    return cluster;
}

Result<ClusterRequest> clusterFrom(std::string_view text) {
    std::vector<int> numbers;
    std::string_view rest = trimmed(text);
    while (numbers.size() < 2) {
        const std::size_t end = rest.find_first_of("xX*");
        const auto number = wholeAbove0(trimmed(rest.substr(0, end)));
        if (!number || end == std::string_view::npos)
            break;
        numbers.push_back(*number);
        rest = trimmed(rest.substr(end + 1));
    }
    const bool startsWithNumber = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    const catalogue::GpuModel* gpu = catalogue::findGpuModel(rest);
    if (gpu == nullptr || startsWithNumber || hasNoNumber(rest))
        return usageError(fmt::format(
            "\"{}\" is no cluster: say nodes, GPUs per node and a GPU of the catalogue, as in "
            "4x8xH200, or 64xH100.",
            text));
    ClusterRequest cluster = clusterOf(*gpu, 1, usualGpusPerNode(*gpu));
    if (numbers.size() == 2) {
        cluster.nodes = numbers[0];
        cluster.gpusPerNode = numbers[1];
    } else if (numbers.size() == 1) {
        cluster.gpusPerNode = std::min(cluster.gpusPerNode, numbers[0]);
        if (numbers[0] % cluster.gpusPerNode != 0)
            return usageError(
                fmt::format("{} GPUs do not fill nodes of {}: say both, as in 3x4x{}.", numbers[0],
                    cluster.gpusPerNode, gpu->name));
        cluster.nodes = numbers[0] / cluster.gpusPerNode;
    }
    RETURN_IF_ERROR(checkCluster(cluster));
    return cluster;
}

std::string textOf(const ClusterRequest& cluster) {
    return fmt::format("{}x{}x{}", cluster.nodes, cluster.gpusPerNode, cluster.gpu.name);
}

Result<layout::LayoutRequest> layoutFrom(std::string_view text) {
    layout::LayoutRequest request;
    if (trimmed(text).empty())
        return request;
    for (const std::string_view part : partsOf(text, ','))
        RETURN_IF_ERROR(takePart(part, request));
    return request;
}

std::string textOf(const layout::Layout& layout) {
    const layout::Degrees& degrees = layout.grid.degrees();
    std::string text;
    const auto add = [&text](std::string_view key, int value, int usual) {
        if (value != usual)
            text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
    };
    add("tp", degrees.tensor, 1);
    add("cp", degrees.context, 1);
    add("ep", degrees.expert, 1);
    if (degrees.expert > 1)
        add("etp", degrees.expertTensor, degrees.tensor);
    add("dp", degrees.data, 1);
    add("pp", degrees.pipeline, 1);
    add("vpp", layout.virtualStages, 1);
    if (layout.sharding) {
        add("zero", layout.sharding->zeroStage, 1);
        if (layout.sharding->replicas > 1)
            add("shard", layout.sharding->group, 0);
    }
    const auto usual = layout.virtualStages > 1 ? layout::ScheduleKind::Interleaved
                                                : layout::ScheduleKind::OneForwardOneBackward;
    if (degrees.pipeline > 1 && layout.schedule != usual)
        text += fmt::format(",schedule={}", toString(layout.schedule));
    return text.empty() ? "tp=1" : text;
}

void divideLayers(const catalogue::TrainingModel& model, layout::LayoutRequest& request) {
    request.layers = model.layers;
    if (request.embeddingCounts || request.lossCounts)
        return; // said
    const std::int64_t wanted
        = std::int64_t{request.pipeline.value_or(1)} * request.virtualStages.value_or(1);
    if (wanted < 1 || wanted > model.layers + 2)
        return; // makeLayout() says that it cannot be
    const int pieces = static_cast<int>(wanted);
    if (!request.stageLayers.empty() || pieces == 1
        || (model.layers % pieces == 0 && model.nextTokenLayers == 0))
        return;
    if ((model.layers + 2) % pieces == 0 && model.nextTokenLayers == 0) {
        request.embeddingCounts = request.lossCounts = true;
        return;
    }
    const int behind = 1 + model.nextTokenLayers;
    const int all = model.layers + behind;
    if (all < pieces + behind)
        return;
    const auto upTo
        = [&](std::int64_t piece) { return static_cast<int>((all * piece + pieces - 1) / pieces); };
    for (int piece = 0; piece < pieces; ++piece)
        request.stageLayers.push_back(upTo(piece + 1) - upTo(piece));
    request.stageLayers.back() -= behind;
    for (std::size_t i = request.stageLayers.size(); i-- > 1;) {
        const int lacking = std::max(0, 1 - request.stageLayers[i]);
        request.stageLayers[i] += lacking;
        request.stageLayers[i - 1] -= lacking;
    }
}

namespace {

constexpr int kShardsWeights = 3; // ZeRO stage

Status checkTraining(const JobRequest& request) {
    if (request.generated > 0)
        return usageError(
            fmt::format("{} generates no tokens; inference does.", toString(request.workload)));
    if (request.adapters.rank < 1)
        return usageError("The rank of adapters has to be above 0.");
    if (request.offload.optimizer < 0.0 || request.offload.optimizer > 1.0)
        return usageError("The share of the optimizer that is offloaded is from 0 to 1.");
    return {};
}

Status checkInference(const JobRequest& request) {
    const layout::LayoutRequest& layout = request.layout;
    if (request.generated < 0 || request.generated >= request.sequence)
        return usageError(
            fmt::format("Of {} tokens a sample, prompt included, {} cannot be generated.",
                request.sequence, request.generated));
    if (request.recompute != Recompute::None)
        return usageError(
            "Inference keeps nothing for a backward pass, and so recomputes nothing.");
    if (!request.offload.isNone())
        return usageError("Inference has no activations and no optimizer to offload.");
    if (layout.virtualStages.value_or(1) > 1 || layout.schedule)
        return usageError("Virtual stages and schedules are of training: inference passes each "
                          "stage once.");
    const int zeroStage = layout.zeroStage.value_or(0);
    if (zeroStage > 0 && zeroStage < kShardsWeights)
        return usageError(fmt::format("ZeRO {} shards what inference has not; ZeRO 3 shards its "
                                      "weights.",
            zeroStage));
    return {};
}

// EP must divide the experts, and CP the tokens of a sample.
Status checkDivision(const JobRequest& request) {
    const int expert = request.layout.expert.value_or(1);
    const int experts = std::max(1, request.model.experts);
    if (expert > experts)
        return usageError(fmt::format("EP {} is more than the {} experts of {}.", expert,
            request.model.experts, request.model.name));
    if (expert > 1 && experts % expert != 0)
        return usageError(fmt::format(
            "EP {} does not divide the {} experts of {}.", expert, experts, request.model.name));
    // Each rank has two chunks, so that causal attention is shared evenly.
    const std::int64_t chunks = std::int64_t{2} * request.layout.context.value_or(1);
    if (chunks > 2 && request.sequence % chunks != 0)
        return usageError(fmt::format("CP {} cuts a sample into {} chunks, which do not divide its "
                                      "{} tokens.",
            chunks / 2, chunks, request.sequence));
    return {};
}

Status checkHeads(const JobRequest& request, const layout::Degrees& degrees) {
    const int heads = request.model.heads;
    if (heads % degrees.tensor != 0)
        return usageError(fmt::format("TP {} does not divide the {} heads of {}.", degrees.tensor,
            heads, request.model.name));
    if (request.execution.context == ContextExchange::AllToAll
        && heads / degrees.tensor % degrees.context != 0)
        return usageError(fmt::format("All-to-all gives heads to each of CP {}, which does not "
                                      "divide the {} heads that TP {} leaves; a ring does not.",
            degrees.context, heads / degrees.tensor, degrees.tensor));
    return {};
}

} // namespace

void takeHabits(Job& job) {
    const RateTable& table = RateTable::builtIn();
    const std::string stack = table.stackOf(job);
    const auto says = [&](std::string_view key) {
        const RateEntry* found = table.entry(RateScope::Stack, stack, key);
        return found != nullptr && found->value > 0.0;
    };
    const bool hasFewBits = bytesOf(job.precision) <= 1.0;
    if (hasFewBits && job.kept.isUsual() && says("keeps_weights_8"))
        job.kept.weights = bytesOf(job.precision);
    if (hasFewBits && job.workload == Workload::Lora && says("adapters_attention_8"))
        job.execution.attention8 = true;
}

Status checkCluster(const ClusterRequest& cluster) {
    constexpr int kMost = layout::RankGrid::kMaxRanks;
    if (cluster.nodes < 1 || cluster.gpusPerNode < 1)
        return usageError("A cluster has at least one node, and each node one GPU.");
    if (std::int64_t{cluster.nodes} * cluster.gpusPerNode > kMost)
        return usageError(fmt::format("{} nodes of {} GPUs are more than {} GPUs.", cluster.nodes,
            cluster.gpusPerNode, kMost));
    return {};
}

Status checkNumbers(int microBatch, int globalBatch, int sequence) {
    for (const int number : {microBatch, globalBatch, sequence}) {
        if (number < 1 || number > kMostOfJob)
            return usageError(fmt::format("Micro-batch, global batch and sequence are at least 1 "
                                          "and at most {}, not {}.",
                kMostOfJob, number));
    }
    return {};
}

Status checkWorkload(const JobRequest& request) {
    return request.workload == Workload::Inference ? checkInference(request)
                                                   : checkTraining(request);
}

void keepWhatApplies(JobRequest& request) {
    if (request.workload != Workload::Inference) {
        request.generated = 0;
        return;
    }
    request.recompute = Recompute::None;
    request.recomputedLayers = 0;
    request.offload = {};
    layout::LayoutRequest& layout = request.layout;
    if (layout.virtualStages.value_or(1) > 1)
        layout.stageLayers.clear(); // they are for pieces that are none
    layout.virtualStages.reset();
    layout.schedule.reset();
    layout.microbatchGroup.reset();
    if (layout.zeroStage.value_or(0) < kShardsWeights)
        layout.zeroStage.reset();
    request.generated = std::clamp(request.generated, 0, std::max(0, request.sequence - 1));
}

Result<Job> jobOf(const JobRequest& asked) {
    JobRequest request = asked;
    RETURN_IF_ERROR(checkCluster(request.cluster));
    RETURN_IF_ERROR(checkNumbers(request.microBatch, request.globalBatch, request.sequence));
    RETURN_IF_ERROR(checkWorkload(request));
    if (request.workload == Workload::Inference)
        request.model.nextTokenLayers = 0; // they are trained with, and left away
    layout::LayoutRequest wanted = request.layout;
    wanted.nodes = request.cluster.nodes;
    wanted.gpusPerNode = request.cluster.gpusPerNode;
    wanted.worldSize = request.cluster.gpus();
    if (wanted.expert.value_or(1) > 1 && !wanted.expertTensor)
        wanted.expertTensor = 1;
    RETURN_IF_ERROR(checkDivision(request));
    if (!wanted.zeroStage && !wanted.fsdp && request.workload == Workload::Training)
        wanted.zeroStage = 1;
    divideLayers(request.model, wanted);
    ASSIGN_OR_RETURN(auto placed, layout::makeLayout(wanted));
    const int data = placed.grid.degrees().data;
    const std::int64_t each = std::int64_t{request.microBatch} * data;
    if (request.globalBatch % each != 0)
        return usageError(fmt::format("A global batch of {} is no multiple of micro-batch {} × DP "
                                      "{} = {}.",
            request.globalBatch, request.microBatch, data, each));
    placed.microbatches = static_cast<int>(request.globalBatch / each);
    const int tensor = placed.grid.degrees().tensor;
    RETURN_IF_ERROR(checkHeads(request, placed.grid.degrees()));
    Job job{static_cast<Setup&>(request), request.cluster, std::move(placed)};
    job.sequenceParallel = request.sequenceParallel.value_or(!job.isInference()) && tensor > 1;
    takeHabits(job);
    return job;
}

} // namespace trainscope::predict
