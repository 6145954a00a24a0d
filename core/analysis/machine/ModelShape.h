#pragma once
// The model that a run trains: its shape, its parameters and FLOP, what a layer of it is to the
// groups of a layout, and the low-rank adapters beside frozen weights (LoRA, Hu et al. 2021): which
// matrices of a layer have one, and how many parameters they are.

#include "core/catalogue/TrainingModel.h"
#include "core/layout/Traffic.h"

namespace trainscope::analysis {

// Matrices of a layer that can have adapters. Experts have none.
enum class AdaptedMatrix {
    Qkv, // queries, keys and values; of latent attention what their hidden state meets first
    Output, // attention's output
    MlpUp,
    MlpDown,
};
constexpr auto namesOf(AdaptedMatrix) {
    return enumNames("qkv", "out", "up", "down");
}
inline constexpr auto kAllAdaptedMatrices = allValues<AdaptedMatrix>();

// The usual: rank 16 at queries, keys and values, as NVIDIA's performance recipes of Llama 3 70B
// have it (Megatron-Bridge, linear_qkv).
struct Adapters {
    int rank = 16;
    std::array<bool, kAllAdaptedMatrices.size()> adapted{true, false, false, false};

    [[nodiscard]] bool adapt(AdaptedMatrix matrix) const {
        return adapted[static_cast<std::size_t>(matrix)];
    }
    bool operator==(const Adapters&) const = default;
};
// "16:qkv+out", and the same from text; "all" stands for every matrix, a number alone for the usual
// ones. Usage names what cannot be read.
std::string textOf(const Adapters& adapters);
Result<Adapters> adaptersFrom(std::string_view text);

// Adapter parameters of a layer on one of `tensor` GPUs that share it: rank · (inputs + outputs) of
// each adapted matrix, whose cut side is cut with it.
double adapterParametersOf(const catalogue::TrainingModel& model, const Adapters& adapters,
    double tensor, bool hasExperts);

// The shape of the model that a run trains: what its launch configuration states, which wins,
// filled up from the catalogue by the model's name, else by its layers and hidden size, where
// heads, feed-forward and experts that are stated do not say that it is another.
struct ModelShape {
    catalogue::TrainingModel model; // complete
    std::string origin; // for people: where the shape comes from
};

// NotFound names what is not known of the model. Without a stated feed-forward size or kind the
// frameworks' default is taken, two matrices of 4 × hidden, and the origin says so; without heads
// every head has a key of its own.
Result<ModelShape> shapeOf(const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue);

// Parameters of a model and floating-point operations of a sample: those of the model, whatever the
// hardware repeats. Recomputed activations therefore never count (MFU, not HFU).
//
// Forward, per token of a sample of s tokens, in FLOP (a multiply-add is two):
//   projections  l · (4·h·a + 4·h·k)           a = heads · head size, k = KV heads · head size
//   scores       l · 4·s·a                     QKᵀ and PV over all s positions: causal attention is
//                                              not halved, as in Narayanan et al. 2021 and PaLM; of
//                                              layers with a window over no more than that
//   feed-forward l · (m·2·h·f·e + r)           m = 2 matrices, 3 if gated; f = feed-forward size;
//                                              e = experts per token; r = 2·h·experts, the router
//   logits       2·h·V
// Training takes three times the forward pass. For GPT (a = k = h, f = 4h, m = 2) that is
// 72·s·l·h²·(1 + s/(6h) + V/(12·l·h)) a sample: eq. 3 of Narayanan et al. 2021 (arXiv 2104.04473)
// without its recomputation, which turns the 72 into 96.
// LoRA takes twice the forward pass of the weights (no gradients of frozen weights) and three times
// that of the scores; the adapters are neglected.
// Inference takes the forward pass of the prompt (prefill) and of each generated token (decode,
// with a cache of keys and values); the prompt is what of the sequence is not generated.

// Weights of the parts of a layer, without biases.
struct LayerWeights {
    double attention = 0.0; // projections; of latent attention those down and up
    double dense = 0.0; // the feed-forward of a layer without experts
    double expert = 0.0; // one of a layer with experts
    double sharedExperts = 0.0; // all that every token meets
    double router = 0.0;
    double norms = 0.0;
};
LayerWeights layerWeightsOf(const catalogue::TrainingModel& model);
// Heads of keys on each GPU of a tensor-parallel group. A head is not cut: where there are fewer
// than GPUs, several have the same one. Not for latent attention, whose keys are all heads'.
double keyHeadsOnGpu(const catalogue::TrainingModel& model, double tensor);
bool hasExperts(const catalogue::TrainingModel& model, int layer); // counts from 0
double valueWidthOf(const catalogue::TrainingModel& model); // heads × the size of a value's head

struct ModelParameters {
    double total = 0.0;
    double active = 0.0; // parameters that a token meets: only its own experts
};

// Weights of attention, feed-forward, router, norms, and the embeddings once or twice; without
// biases and position embeddings.
ModelParameters parametersOf(const catalogue::TrainingModel& model);

struct ModelWork {
    double flopPerSample = 0.0;
    double tokensPerSample = 0.0; // the sequence, padding included
    std::string formula; // for people
};

// sequence > 0 tokens; generated (inference) < sequence.
ModelWork workOf(
    const catalogue::TrainingModel& model, Workload workload, int sequence, int generated = 0);

// The model's side of what the groups of a layout exchange (core/layout/Traffic.h): from the shape
// of the model that a run trains, or of one of the catalogue.

// Weights of one layer and one embedding table as in ModelShape.h. Sequence parallelism is taken to
// be on unless said otherwise.
layout::TrafficModel trafficModelOf(const catalogue::TrainingModel& model, int sequence,
    int microBatch, std::optional<bool> sequenceParallel = std::nullopt);

// NotFound names what the launch configuration does not say of model, sequence or micro-batch.
Result<layout::TrafficModel> trafficModelOf(
    const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue);

} // namespace trainscope::analysis
