#include "app/cli/options/PredictOptions.h"

#include "app/cli/commands/Command.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/predict/cost/Rates.h"
#include "importers/common/Number.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

Error unknown(std::string_view what, std::string_view value, std::string_view expected) {
    return usageError(fmt::format("\"{}\" is no {}: {}.", value, what, expected));
}

// "full", or "block:4": so many layers of each stage.
Status takeRecompute(std::string_view text, predict::JobRequest& request) {
    constexpr std::string_view kBlock = "block:";
    if (text.starts_with(kBlock)) {
        request.recompute = predict::Recompute::Full;
        request.recomputedLayers = wholeNumber<int>(text.substr(kBlock.size())).value_or(0);
        if (request.recomputedLayers > 0)
            return {};
    } else if (const auto mode = predict::recomputeFrom(text)) {
        request.recompute = *mode;
        return {};
    }
    return unknown("recomputation", text,
        "none, selective, per-operator, full, or block:N for N layers of each stage");
}

// "optimizer", "optimizer:0.5", "activations:20", or both with a comma between.
Status takeOffload(std::string_view text, predict::JobRequest& request) {
    constexpr std::string_view kOptimizer = "optimizer";
    constexpr std::string_view kShare = "optimizer:";
    constexpr std::string_view kLayers = "activations:";
    while (!text.empty()) {
        const std::size_t end = text.find(',');
        const std::string_view part = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        const auto share = part.starts_with(kShare)
            ? importers::parseNumber(part.substr(kShare.size()))
            : part == kOptimizer ? std::optional(1.0)
                                 : std::nullopt;
        const auto layers = part.starts_with(kLayers)
            ? wholeNumber<int>(part.substr(kLayers.size()))
            : std::nullopt;
        if (share && *share > 0.0 && *share <= 1.0)
            request.offloadedOptimizer = *share;
        else if (layers && *layers > 0)
            request.offloadedLayers = *layers;
        else
            return unknown("part that is offloaded", part,
                "optimizer, optimizer:X for a share of it, or activations:N for N layers of each "
                "stage");
    }
    return {};
}

Status takeWorkload(const PredictOptions& options, predict::JobRequest& request) {
    const auto workload = workloadFrom(options.workload.empty() ? "training" : options.workload);
    if (!workload)
        return unknown("workload", options.workload, "training, lora or inference");
    request.workload = *workload;
    request.generated = options.generated.value_or(0);
    if (options.adapters.empty())
        return {};
    if (*workload != Workload::Lora)
        return usageError("Adapters are of the workload lora.");
    return assign(analysis::adaptersFrom(options.adapters), request.adapters);
}

Status takeExecution(const PredictOptions& options, predict::JobRequest& request) {
    const std::string& attention = options.attentionPrecision;
    if (!attention.empty() && attention != "fp8" && attention != "bf16")
        return unknown("precision of attention", attention, "bf16 or fp8");
    request.execution.attention8 = attention == "fp8";
    request.execution.graphs = options.graphs;
    if (options.contextExchange.empty())
        return {};
    const auto exchange = predict::contextExchangeFrom(options.contextExchange);
    if (!exchange)
        return unknown("exchange of context parallelism", options.contextExchange,
            "ring, all-to-all or gather");
    request.execution.context = *exchange;
    return {};
}

} // namespace

bool PredictOptions::sayWork() const {
    return !offload.empty() || !precision.empty() || !recompute.empty() || !workload.empty()
        || generated || !adapters.empty() || !stack.empty() || unfusedAttention
        || !contextExchange.empty() || !attentionPrecision.empty() || graphs || networkGbit;
}

Result<predict::ClusterRequest> clusterRequestOf(const PredictOptions& options, std::size_t at) {
    ASSIGN_OR_RETURN(auto cluster, predict::clusterFrom(options.clusters[at]));
    cluster.networkBandwidth = bytesPerSecond(options.networkGbit);
    cluster.powerLimitW = options.powerLimitW;
    if (options.clockMhz)
        cluster.clockHz = *options.clockMhz * 1e6;
    return cluster;
}

Result<predict::JobRequest> jobRequestOf(const PredictOptions& options) {
    if (options.model.empty() || options.clusters.empty() || options.globalBatch < 1)
        return usageError(
            "A prediction needs --model, --cluster and --global-batch, or a --table.");
    const auto& catalogue = catalogue::modelCatalogue();
    const catalogue::TrainingModel* model = catalogue.byName(options.model);
    if (model == nullptr) {
        std::string names;
        for (const auto& one : catalogue.models)
            names += (names.empty() ? "" : ", ") + one.name;
        return unknown("model of the catalogue", options.model, names);
    }
    predict::JobRequest request;
    request.model = *model;
    ASSIGN_OR_RETURN(request.cluster, clusterRequestOf(options, 0));
    ASSIGN_OR_RETURN(request.layout, predict::layoutFrom(options.layout));
    request.microBatch = options.microBatch.value_or(1);
    request.globalBatch = options.globalBatch;
    request.sequence = options.sequence.value_or(request.sequence);
    request.stack = options.stack;
    if (!options.stack.empty() && !predict::RateTable::builtIn().hasStack(options.stack))
        return unknown("software stack", options.stack, kStacks);
    if (options.unfusedAttention)
        request.attention = predict::AttentionKind::Unfused;
    RETURN_IF_ERROR(takeExecution(options, request));
    ASSIGN_OR_RETURN(const auto stated, predict::statedPrecisionFrom(options.precision));
    request.precision = stated.products;
    request.kept = stated.kept;
    RETURN_IF_ERROR(takeWorkload(options, request));
    if (!options.recompute.empty())
        RETURN_IF_ERROR(takeRecompute(options.recompute, request));
    RETURN_IF_ERROR(takeOffload(options.offload, request));
    return request;
}

Result<predict::TrainingAsked> trainingAskedOf(const PredictOptions& options, Workload workload) {
    predict::TrainingAsked asked;
    if (!options.tokens.empty())
        RETURN_IF_ERROR(assign(predict::tokensFrom(options.tokens), asked.tokens));
    if (!options.gpuHourPrice.empty())
        RETURN_IF_ERROR(assign(predict::priceFrom("The price of a GPU hour", options.gpuHourPrice),
            asked.gpuHourPrice));
    if (!options.kwhPrice.empty())
        RETURN_IF_ERROR(
            assign(predict::priceFrom("The price of a kWh", options.kwhPrice), asked.kwhPrice));
    asked.reliability = options.reliability;
    RETURN_IF_ERROR(predict::checkTraining(asked, workload));
    return asked;
}

Result<predict::SearchRequest> searchRequestOf(const PredictOptions& options) {
    ASSIGN_OR_RETURN(const auto job, jobRequestOf(options));
    RETURN_IF_ERROR(predict::checkWorkload(job));
    predict::SearchRequest request = predict::searchLike(job);
    const layout::LayoutRequest& asked = job.layout;
    if (!options.offload.empty() || asked.schedule == layout::ScheduleKind::DualPipe)
        return usageError("A search keeps all numbers on the GPUs and does not try the schedule "
                          "dualpipe: leave --offload and that out.");
    if (asked.order || !asked.stageLayers.empty())
        return usageError("A search takes the usual order of ranks and division of layers: leave "
                          "order and stage-layers out.");
    request.fixed = {asked.tensor, asked.context, asked.expert, asked.pipeline, asked.virtualStages,
        asked.zeroStage, options.microBatch, {}};
    if (asked.fsdp.value_or(false))
        request.fixed.zeroStage = 3;
    if (!options.recompute.empty())
        request.fixed.recompute = job.recompute;
    request.fixed.recomputedLayers = job.recomputedLayers;
    request.fixed.data = asked.data;
    request.fixed.expertTensor = asked.expertTensor;
    request.fixed.shard = asked.shardSize;
    request.fixed.schedule = asked.schedule;
    const auto objective = predict::objectiveFrom(options.objective);
    if (!objective)
        return unknown("objective", options.objective, "time, energy or peak-power");
    request.objective = *objective;
    request.top = options.top;
    request.memoryShare = options.memoryShare;
    request.powerLimitW = options.clusterPowerW;
    return request;
}

} // namespace trainscope::cli
