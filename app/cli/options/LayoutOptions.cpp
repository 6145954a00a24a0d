#include "app/cli/options/LayoutOptions.h"

#include "app/cli/options/AddOption.h"
#include "core/catalogue/TrainingModel.h"
#include "core/model/Try.h"

namespace trainscope::cli {

namespace {

template <typename T>
void prefer(std::optional<T>& known, const std::optional<T>& given) {
    if (given)
        known = given;
}

// Absent where the degrees do not fit.
std::optional<int> dataParallelOf(layout::LayoutRequest request) {
    request.layers.reset();
    request.stageLayers.clear();
    const auto made = layout::makeLayout(request);
    return made.hasValue() ? std::optional(made.value().grid.degrees().data) : std::nullopt;
}

std::string namesOf(const catalogue::ModelCatalogue& catalogue) {
    std::string names;
    for (const auto& one : catalogue.models)
        names += (names.empty() ? "" : ", ") + one.name;
    return names;
}

} // namespace

void LayoutOptions::addTo(CLI::App& command) {
    const auto add = [&](const char* name, std::optional<int>& value, const char* help) {
        return addOption(command, name, value, help, "N");
    };
    add("--nodes", request.nodes, "Nodes");
    add("--gpus-per-node", request.gpusPerNode, "GPUs of a node");
    add("--tp", request.tensor, "Tensor parallelism; 1 unless given");
    add("--cp", request.context, "Context parallelism");
    add("--dp", request.data, "Data parallelism; what remains of the ranks unless given");
    add("--pp", request.pipeline, "Pipeline parallelism");
    add("--ep", request.expert, "Expert parallelism");
    add("--etp", request.expertTensor, "Tensor parallelism of the experts; as --tp unless given");
    add("--vpp", request.virtualStages, "Virtual stages of each pipeline stage (interleaving)");
    addOption(command, "--order", order,
        "Rank order, fastest first, such as: tp-cp-ep-dp-pp (unless given), tp-cp-ep-pp-dp", "O")
        ->check(suggesting("tp-cp-ep-dp-pp tp-cp-ep-pp-dp"));
    add("--zero", request.zeroStage,
        "ZeRO stage: 1 (optimizer), 2 (and gradients) or 3 (and parameters)")
        ->check(suggesting("1 2 3"));
    add("--shard-size", request.shardSize, "Ranks of a shard group; all of DP and CP unless given");
    add("--layers", request.layers, "Layers of the model");
    addOption(command, "--stage-layers", stageLayers, "Layers of each stage: 19,21,21,19", "LIST");
    command.add_flag("--embedding-layer", request.embeddingCounts,
        "The embedding counts as a layer where layers are divided equally");
    command.add_flag("--loss-layer", request.lossCounts,
        "The loss counts as a layer where layers are divided equally");
    addOption(command, "--model", model, "A model of the catalogue: what the groups exchange", "M");
    add("--sequence", sequence, "Tokens of a sample");
    add("--micro-batch", microBatch, "Samples of a micro-batch");
    add("--microbatches", request.microbatches, "Micro-batches of a step and data-parallel rank");
    add("--microbatch-group", request.microbatchGroup,
        "Interleaved: micro-batches through one virtual stage at a time; the least that works "
        "unless given");
    addOption(command, "--schedule", schedule,
        "gpipe, 1f1b, interleaved, zero-bubble or dualpipe; 1f1b or interleaved "
        "unless given",
        "S")
        ->check(suggesting("gpipe 1f1b interleaved zero-bubble dualpipe"));
}

bool LayoutOptions::saysDegrees() const {
    return request.tensor || request.context || request.data || request.pipeline || request.expert
        || request.expertTensor;
}

bool LayoutOptions::saysLayout() const {
    return request != layout::LayoutRequest{} || !order.empty() || !schedule.empty()
        || !stageLayers.empty();
}

void LayoutOptions::forgetLayout() {
    layout::LayoutRequest kept;
    kept.layers = request.layers;
    request = kept;
    order.clear();
    schedule.clear();
}

Result<LaunchConfig> LayoutOptions::over(const LaunchConfig& known) const {
    LaunchConfig result = known;
    if (!model.empty()) {
        const auto& models = catalogue::modelCatalogue();
        if (models.byName(model) == nullptr)
            return usageError(
                "\"" + model + "\" is no model of the catalogue: " + namesOf(models) + ".");
        // The shape is the named model's, whatever the run's was.
        result = LaunchConfig{};
        result.model = model;
        result.sequenceLength = known.sequenceLength;
        result.microBatch = known.microBatch;
        result.sequenceParallel = known.sequenceParallel;
    }
    prefer(result.sequenceLength, sequence);
    prefer(result.microBatch, microBatch);
    return result;
}

Result<layout::LayoutRequest> LayoutOptions::over(
    const layout::LayoutRequest& known, std::optional<int> knownMicroBatch) const {
    layout::LayoutRequest result = known;
    const auto& given = request;
    // The layers are the named model's, whatever the run's were.
    if (!model.empty()) {
        result.layers.reset();
        result.stageLayers.clear();
    }
    // A cluster by hand replaces the run's: its number of ranks with it.
    if (given.nodes || given.gpusPerNode)
        result.worldSize = given.worldSize;
    // Degrees by hand make room for each other: data parallelism fills the world anew.
    if (given.tensor || given.context || given.pipeline)
        result.data.reset();
    if (given.tensor)
        result.expertTensor.reset();
    if (given.pipeline) {
        result.virtualStages.reset();
        result.stageLayers.clear();
    }
    layout::takeNumbers(given, result);
    result.embeddingCounts = known.embeddingCounts || given.embeddingCounts;
    result.lossCounts = known.lossCounts || given.lossCounts;
    if (!order.empty()) {
        ASSIGN_OR_RETURN(result.order, layout::rankOrderFromString(order));
    }
    if (!schedule.empty()) {
        ASSIGN_OR_RETURN(result.schedule, layout::scheduleKindFromString(schedule));
    }
    if (!stageLayers.empty()) {
        ASSIGN_OR_RETURN(result.stageLayers, layout::stageLayersFromString(stageLayers));
    }
    if (known.microbatches && !given.microbatches)
        keepSamples(known, knownMicroBatch, result);
    return result;
}

void LayoutOptions::keepSamples(const layout::LayoutRequest& known,
    std::optional<int> knownMicroBatch, layout::LayoutRequest& result) const {
    const auto before = dataParallelOf(known);
    const auto now = dataParallelOf(result);
    if (!before || !now)
        return;
    const bool isOther = knownMicroBatch && microBatch;
    const std::int64_t samples
        = std::int64_t{*known.microbatches} * *before * (isOther ? *knownMicroBatch : 1);
    const std::int64_t atOnce = std::int64_t{*now} * (isOther ? *microBatch : 1);
    result.microbatches = atOnce > 0 && samples % atOnce == 0
        ? std::optional(static_cast<int>(samples / atOnce))
        : std::nullopt;
}

} // namespace trainscope::cli
