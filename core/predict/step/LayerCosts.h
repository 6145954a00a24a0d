#pragma once
// LayerCosts: what a micro-batch takes of each part of a model on one GPU: a layer without experts,
// one with them, the embedding and the loss. They follow from TP, CP, EP, what is sharded,
// micro-batch and recomputation, and are the same whichever stage a layer lies on, so that a search
// makes them once for many layouts. Any thread.

#include "core/predict/cost/Rates.h"
#include "core/predict/operators/Collective.h"
#include "core/predict/operators/Layer.h"

namespace trainscope::predict {

// Breakdown: seconds by what they are spent on. Plain values.

enum class StepPart {
    Gemm,
    Attention,
    Elementwise, // norms, activations, residuals, positions, casts
    Loss, // logits and cross-entropy
    Embedding,
    Recomputation,
    TensorParallel, // exposed
    ContextParallel, // exposed
    ExpertParallel, // exposed
    Sharding, // exposed gathering and scattering of sharded parameters
    Gap, // the GPU waits for its host
    Bubble, // the pipeline fills, drains, sends, or waits for a slower stage
    DataParallel, // exposed
    Optimizer,
    Jitter,
};
constexpr auto namesOf(StepPart) {
    return enumNames("gemm", "attention", "elementwise", "loss", "embedding", "recompute",
        "tensor_parallel", "context_parallel", "expert_parallel", "sharding", "gap", "bubble",
        "data_parallel", "optimizer", "jitter");
}
constexpr auto titlesOf(StepPart) {
    return enumNames("GEMM", "Attention", "Elementwise", "Logits and loss", "Embedding",
        "Recomputation", "Tensor parallel", "Context parallel", "Expert parallel",
        "Shards gathered", "Waiting for the host", "Bubble", "Data parallel", "Optimizer",
        "Jitter");
}
using trainscope::titleOf;
inline constexpr auto kAllStepParts = allValues<StepPart>();
inline constexpr std::size_t kStepParts = kAllStepParts.size();

class Breakdown : public ByEnum<StepPart, kStepParts, double> {
public:
    [[nodiscard]] double total() const {
        double sum = 0.0;
        for (const StepPart part : kAllStepParts)
            sum += (*this)[part];
        return sum;
    }
    void add(const Breakdown& other, double factor) {
        for (const StepPart part : kAllStepParts)
            (*this)[part] += other[part] * factor;
    }
    Breakdown& operator+=(const Breakdown& other) {
        add(other, 1.0);
        return *this;
    }
    [[nodiscard]] Breakdown times(double factor) const {
        Breakdown result;
        result.add(*this, factor);
        return result;
    }
};

// Share of the launches of a host that is in the forward pass; traced in PyTorch.
inline constexpr double kForwardLaunches = 1.0 / 3.0;

// One micro-batch on one piece of the model.
struct PieceCost {
    Breakdown forward;
    Breakdown backward; // with what is recomputed
    double weightGradient = 0.0; // part of the backward pass, the gradients of the weights
    double movedLoss
        = 0.0; // part of both passes, in Loss, bound by memory: the loss in plain PyTorch
    double hostSeconds = 0.0; // in which the host launches both passes; 0: never the longer
    double unrepeated = 0.0; // part of the forward pass that full recomputation leaves out
    // Exchanges of experts behind the pass of the other direction (DualPipe), in no part above.
    double hiddenForward = 0.0;
    double hiddenBackward = 0.0;
};

struct LayerCost {
    PieceCost cost;
    double parameters = 0.0; // on this GPU, without experts
    double expertParameters = 0.0; // on this GPU
    double adapterParameters = 0.0; // on this GPU
};

struct PassCosts {
    LayerCost dense; // nothing where the model has no such layers
    LayerCost expert;
    LayerCost embedding;
    LayerCost loss;
};

struct LayerCosts : PassCosts {
    std::optional<PassCosts>
        decode; // for one token more of each sample, of inference that generates
};

// Shards are exchanged with every micro-batch: from ZeRO 2 on. Stages of a pipeline in training
// keep what they gathered, and reduce gradients once a step (Llama 3, arXiv 2407.21783,
// section 3.3.2; torchtitan's pipelines).
bool exchangesShards(const Job& job);

// All layers recomputed as the job says: Job::recomputedLayers is of a stage and not looked at.
LayerCosts layerCostsOf(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives);

// The same in three steps, of which a search takes the first once for many of the others: nothing
// recomputed and no parameters gathered; then the job's recomputation; then its sharding.
LayerCosts plainCostsOf(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives);
LayerCosts withRecomputation(const LayerCosts& plain, const Job& job, const Rates& rates);
LayerCosts withSharding(const LayerCosts& costs, const Job& job, const Rates& rates,
    const CollectiveCosts& collectives);

// The share of the model that a stage, or one of its pieces, has, and the time that a micro-batch
// takes there. Pure; any thread.

struct ModelShare {
    int dense = 0; // layers
    int experts = 0;
    bool hasEmbedding = false;
    bool hasLoss = false;

    [[nodiscard]] int layers() const { return dense + experts; }
    ModelShare& operator+=(const ModelShare& other);
    bool operator==(const ModelShare&) const = default;
};

ModelShare shareOf(
    const Job& job, std::size_t piece); // `piece`: its place among the layout's chunks
// By stage. A stage of DualPipe has the piece of the other direction, too; half of the
// micro-batches go through each.
std::vector<ModelShare> stageShares(const Job& job);

// Cost of one micro-batch. `recomputed`: part of what the costs say is recomputed.
PieceCost costOf(
    const Job& job, const PassCosts& layers, const ModelShare& share, double recomputed = 1.0);

// The layers that predict further tokens, each with a loss of its own.
const LayerCost& lastLayerOf(const Job& job, const PassCosts& layers);

// A micro-batch of so many tokens from a stage to the next; 0 of one stage.
double sendSeconds(
    const Job& job, const Rates& rates, const CollectiveCosts& collectives, double tokens);

} // namespace trainscope::predict
