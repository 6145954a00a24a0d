#pragma once
// Memory that training or inference needs on a GPU of each pipeline stage: a formula on model,
// layout and batch, the one that placement, comparison and prediction share. Plain values; any
// thread. Sizes are B, of one GPU.
//
//   weights, gradients, optimizer
//                Per parameter of the stage what NumberWidths says (mixed precision with Adam: 16
//                B, Rajbhandari et al. 2020; 18 B where gradients are added up in single precision
//                as Megatron-LM does), the optimizer's divided by the shard group from ZeRO 1 on,
//                gradients from 2 on, weights from 3 on. Experts are divided by their own degrees.
//                Frozen weights (LoRA, Hu et al. 2021): they alone, and all three of their
//                adapters, whose weights are in the width of activations, as are the tables of
//                words where products have fewer bits than these. Inference: the weights alone, in
//                the precision of products. Weights for keys and values are on each GPU for a
//                head of them at least. DualPipe: of both pieces of the stage (DeepSeek-AI 2024,
//                table 2). The share `offload.optimizer` of the optimizer's is in the host's
//                memory (ZeRO-Offload, Ren et al. 2021).
//   activations  Per token and layer (Korthikanti et al. 2022, by parts so that grouped keys, gated
//                MLPs, latent attention and experts fit in), A bytes a number, P a number that a
//                matrix product takes, in 16 bits A = P = 2:
//                  2A·h + P·h + P·h            inputs of the norms, of attention and of the MLP
//                  + 2h                        masks of two dropouts, where there are any
//                  + (D(q + 2k) + D·v)/t       queries, keys, values and what leaves attention, D
//                                              bytes a number that attention keeps; P·v/t more
//                                              where products take fewer bytes; 2k/t no less than a
//                                              head of both
//                  + (F + P)f/t, gated (2F + P)f/t   inside the MLP, its function taking F
//                D and F are A unless they are kept in 8 bits (FP8 attention and
//                activation_func_fp8_input_store of Megatron-LM and Transformer Engine).
//                34h of GPT in all: (10h + 24h/t) B, with sequence parallelism 34h/t. Each of k
//                experts of a token takes (A+P)h, P·h where it weighs inside, and the MLP's inside,
//                of t'/t of the tokens with sequence parallelism, t' being the experts' own tensor
//                parallelism; shared experts take as much as an MLP. Unfused attention (2A+1)·a·s/t
//                more. s/cp tokens a sample. LoRA has no P: the gradient of a weight alone takes
//                the product's input, and frozen weights have none; the adapted matrices' inputs in
//                A bytes, and A·r inside of each adapter of rank r.
//   recomputed   full: A·h (/t with sequence parallelism) a layer; per operator (torchtitan: every
//                second product is kept): A(2h + (q + k + v + f)/t), k/t no less than a head;
//                selective: without the parts that are made again, as the core of unfused
//                attention.
//   one GPU in plain PyTorch (Kernels)
//                  Cast weights   of autocast: those of products once more, 2 B each
//                  residuals      4 B of each norm's input where weights are cast
//                  gated          what the function gives is kept too, f/t more, unless compiled
//                  loss           see LossKernel; without further micro-batches the gradients are
//                                 made after it, and are not there yet
//                  Nothing for fragmentation: what the allocator hands out.
//   in flight    passesInFlight() micro-batches through pieces of the model. Layers whose
//                activations are offloaded hold none.
//   at its peak  What is held, and the larger of
//                  loss       a few bytes for each token and word of the vocabulary, LossKernel, on
//                             the last stage
//                  backward   a layer done again where it is recomputed, and gradients of its
//                             widest activations, A(h + 2f/t) or gated A(h + 3f/t); of FSDP those
//                             of two whole layers
//   buffers      0.6 GB of CUDA with its libraries, 0.2 GB of NCCL for each kind of communicator
//                (4 MiB for each of up to 24 channels, both directions); of FSDP the whole weights
//                of two layers, or of all, and of the embeddings; with ZeRO 2 the gradients of two
//                layers before they are reduced; of tensor-parallel exchanges that overlap by user
//                buffers userBuffers × A·h a token; of PyTorch's pipelines a gradient for each
//                micro-batch of a step and an output for each in flight, A·h/t a token (its stages
//                receive into buffers made beforehand, and keep what they gave) and besides the
//                gradients of the step those of two layers in their reduction's own buffers and of
//                one in 16 bits; 2 % of all of these that come and go for fragmentation, 15 % in
//                PyTorch's pipelines, whose runs of the same tokens reserve 75 to 85 GiB.
//                Estimates.
//   caches       inference: keys and values, A(k + v)/t B per token and layer, of as many
//                micro-batches as the pipeline has stages, and one layer of a prompt.

#include "core/analysis/machine/ModelShape.h"
#include "core/catalogue/TrainingModel.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

// Kept in the host's memory instead of its GPUs'.
struct Offload {
    int layers = 0; // per stage: activations moved to the host until they are needed
    double optimizer = 0.0; // share of the optimizer's numbers that the host keeps and does

    [[nodiscard]] bool isNone() const { return layers == 0 && optimizer == 0.0; }
    bool operator==(const Offload&) const = default;
};
// "optimizer:0.5,activations:20", empty for none; and the same from text. Usage names the part that
// cannot be read.
std::string textOf(const Offload& offload);
Result<Offload> offloadFrom(std::string_view text);

// Bytes a number takes before it is divided over GPUs.
struct NumberWidths {
    double weight = 2.0; // with the copies in 8 or 4 bits, along rows and columns
    double gradient = 4.0;
    double optimizer = 12.0; // Adam: two moments, and single precision of the weight where `weight`
                             // is no such
    double activation = 2.0;
    double product = 2.0; // the input of a matrix product
    double attention = 2.0; // kept by fused attention: queries, keys, values, its result
    double function = 2.0; // input of the function inside of an MLP

    // The same numbers kept as PyTorch's FSDP does: shards of weights and gradients in single
    // precision.
    [[nodiscard]] NumberWidths asFsdp() const;
};

// Megatron-LM's for "fp32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4" and what contains them, in any
// letters; 16 bits for anything else. Weights in 8 or 4 bits count 1 B, 33/32 B (a scale for 32
// numbers) or 9/16 B (one for 16), twice; with 4 bits those in 16 bits stay beside them.
NumberWidths widthsOf(std::string_view precision);

enum class Recomputation {
    None,
    Selective, // RecomputedParts: the core of attention, s × s (Korthikanti et al. 2022)
    PerOperator, // every second matrix product is kept, the rest is done again (torchtitan)
    Full,
};
constexpr auto namesOf(Recomputation) {
    return enumNames("none", "selective", "per-operator", "full");
}
std::optional<Recomputation> recomputationFrom(std::string_view text); // in any letters

// Parts of every layer that are recomputed, as Megatron-LM's recompute-modules name them.
struct RecomputedParts {
    bool attentionCore = true; // core_attn: what is s × s
    bool latentProjections = false; // mla_up_proj: queries, keys and values from what they pass
    bool norms = false; // layernorm: what they give
    bool expertFunction = false; // moe_act: what the function inside of experts gives
    bool denseMlp = false; // mlp: all inside of it
    bool denseFunction = false; // results of the function inside of a dense MLP: fused kernels
                                // that make them again
};

// Implementation of the operators between products: fused by hand (Megatron-LM with Transformer
// Engine), an operation a kernel as PyTorch does it, or as torch.compile fuses it.
enum class Kernels { Library, Eager, Compiled };

enum class LossKernel {
    InPlace, // 4 B a logit: they and their gradient in 16 bits
    VocabParallel, // 6 B: Megatron-LM's, probabilities in 32 bits, logits or their gradient in 16
    Separate, // 14 B: PyTorch's, logits in 16 and 32 bits, logarithms of probabilities, gradients
    SeparateParallel, // 22 B: the same of divided logits, three more in 32 bits for the gradient
    Plain, // logits, logarithms, their gradients, those of the logits: in the width of activations
           // 8 B in 16 bits; 12 B of autocast, which has the two in the middle in 32
};

// FSDP: until when whole weights of layers are kept.
enum class Gathering {
    None, // no FSDP
    Layer, // two layers at a time (FULL_SHARD)
    Backward, // those of all layers from forward to backward pass (SHARD_GRAD_OP)
    Step, // those of all layers, and their gradients, through the step (torchtitan's pipelines)
};

// The work on a micro-batch, and what is kept of it.
struct BatchWork {
    catalogue::TrainingModel model;
    Workload workload = Workload::Training;
    int sequence = 4096; // tokens of a sample; of inference the prompt and what is generated
    int generated = 0; // tokens of these that inference makes: they do not go through together
    int microBatch = 1; // samples
    Recomputation recompute = Recomputation::None;
    int recomputedLayers = 0; // layers of each stage (Megatron-LM's block); 0: all
    Offload offload = {};
};

struct MemoryRequest : BatchWork {
    layout::Layout layout; // degrees, stages, schedule, micro-batches, ZeRO stage and shard group
    NumberWidths widths = {};
    bool sequenceParallel = true;
    bool dropout = false; // on the results of attention and MLP
    bool unfusedAttention = false;
    bool weighsInsideExperts = false; // results of experts need not be kept to weigh them
    RecomputedParts recomputedParts = {};
    double userBuffers = 0.0; // for exchanges behind products, of a micro-batch between layers each
    LossKernel loss = LossKernel::VocabParallel;
    Kernels kernels = Kernels::Library;
    Gathering gathering = Gathering::None;
    std::optional<Adapters> adapters = {}; // LoRA; absent: not known, and small

    // Weights in 32 bits beside products in 16, as torch.autocast has them.
    [[nodiscard]] bool castsWeights() const {
        return kernels != Kernels::Library && widths.weight > widths.product;
    }
};

// One of the parts that a stage's need adds up from.
struct MemoryPart {
    std::string_view title; // "Optimizer"
    double bytes = 0.0;
    std::string_view source; // in a line, for people
};

// Peak need of the GPUs of one stage.
struct StageNeed {
    int stage = 0;
    double weights = 0.0;
    double gradients = 0.0;
    double optimizer = 0.0;
    double held = 0.0; // activations kept for the backward pass, or caches
    double worked = 0.0; // activations of the layer that is worked on, and their gradients
    double logits = 0.0; // and what the loss makes of them; 0 where the peak is later
    double buffers = 0.0;
    double heldPerLayer = 0.0; // part of `held` for one of the stage's layers
    double statesPerLayer = 0.0; // weights, gradients and optimizer of one layer

    [[nodiscard]] double states() const { return weights + gradients + optimizer; }
    [[nodiscard]] double activations() const { return held + worked; }
    [[nodiscard]] double total() const { return states() + activations() + logits + buffers; }
    // All that CUDA reports as used fits; there is no further reserve, `margin` says how near it
    // is.
    [[nodiscard]] bool fits(double capacity) const { return total() <= capacity; }
    [[nodiscard]] double margin(double capacity) const { return 1.0 - total() / capacity; }
    [[nodiscard]] std::array<MemoryPart, 6> parts() const; // they add up to total()
};

StageNeed stageNeedOf(const MemoryRequest& request, int stage);
std::vector<StageNeed> stageNeedsOf(const MemoryRequest& request); // by stage
StageNeed fullestOf(std::span<const StageNeed> stages); // at least one

// Passes of micro-batches through its pieces of the model whose activations a stage holds at a
// time, closed forms of what makeSchedule() counts: GPipe m·v; 1F1B min(p − stage, m), interleaved
// min(2(p − stage − 1) + (v − 1)g + 1, m·v), g micro-batches of a group; ZB-H1 min(p, m), the
// weights' gradients being late; DualPipe p + 1 (DeepSeek-AI 2024, table 2).
int passesInFlight(const layout::ScheduleRequest& pipeline, int stage);

} // namespace trainscope::analysis
