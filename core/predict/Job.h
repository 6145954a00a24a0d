#pragma once
// Job: everything that a prediction is made from; a training or inference run that need not exist.
// Plain values, SI.

#include "core/analysis/machine/KeptNumbers.h"
#include "core/analysis/machine/MemoryNeed.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/catalogue/GpuModel.h"

namespace trainscope::predict {

// Number type of the matrix products; operators between them stay in 16 bits.
enum class Precision { Fp32, Fp16, Bf16, Fp8, MxFp8, NvFp4 };
constexpr auto namesOf(Precision) {
    return enumNames("fp32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4");
}
std::optional<Precision> precisionFrom(std::string_view text); // "BF16", "fp8", "mxfp8", "nvfp4"
double bytesOf(Precision precision); // an element of a matrix product's input

// A precision as it is said, with the types that numbers are kept in where these are said too:
// "bf16", "amp_bf16", "bf16-pure", "bf16,states=bf16" (KeptNumbers.h), and in that form.
struct StatedPrecision {
    Precision products = Precision::Bf16;
    analysis::KeptNumbers kept = {};
};
Result<StatedPrecision> statedPrecisionFrom(std::string_view text); // Usage names what is none
std::string textOf(const StatedPrecision& stated);

using Recompute = analysis::Recomputation;

enum class AttentionKind { Flash, Unfused };

// Ways in which ranks of context parallelism attend to tokens of others. Each has two of 2·CP
// chunks of a sample, one from each end, so that all have the same share of causal attention.
enum class ContextExchange {
    Ring, // keys and values go round, each step behind the attention to those before (Liu et al.
          // 2023, arXiv 2310.01889)
    AllToAll, // from tokens to heads and back (DeepSpeed-Ulysses, arXiv 2309.14509)
    Gather, // keys and values of all are gathered before (Llama 3, arXiv 2407.21783, 3.3.2)
};
constexpr auto namesOf(ContextExchange) {
    return enumNames("ring", "all-to-all", "gather");
}
std::optional<ContextExchange> contextExchangeFrom(std::string_view text);

// Ways of running a job that change no result.
struct Execution {
    ContextExchange context = ContextExchange::Ring;
    bool attention8 = false; // attention's products in 8 bits, where the others are
    bool graphs = false; // layers are launched as CUDA graphs, so that no GPU waits for its host
    bool operator==(const Execution&) const = default;
};

struct Machine {
    catalogue::GpuModel gpu;
    std::string site = {}; // a key of the constants' sites; empty: none that is known
    std::optional<double> linkBandwidth; // scale-up bus of a GPU, per direction, B/s
    std::optional<double> networkBandwidth; // a GPU's, out of its node, per direction, B/s
    std::optional<int> linkDomain; // GPUs that scale-up links join; a node's when absent
    std::optional<double> powerLimitW; // a GPU's, where lowered
    std::optional<double> clockHz; // a GPU's, where locked
    double linkFactor = 1.0; // changed for what-if: times the scale-up bandwidth that it has
    double networkFactor = 1.0; // times its network's
};

// The work of a job and the way in which it is run, as it is stated by hand.
struct Setup : analysis::BatchWork {
    int globalBatch = 1; // samples
    Precision precision = Precision::Bf16;
    analysis::KeptNumbers kept = {};
    AttentionKind attention = AttentionKind::Flash;
    analysis::Adapters adapters = {}; // LoRA's
    std::string stack = {}; // software, a key of the catalogue's stacks; empty: the usual
    Execution execution = {};

    [[nodiscard]] bool isInference() const { return workload == Workload::Inference; }
    [[nodiscard]] StatedPrecision stated() const { return {precision, kept}; }
    // Tokens of a sample that go through the model together.
    [[nodiscard]] int prompt() const { return isInference() ? sequence - generated : sequence; }
    [[nodiscard]] double tokensPerStep() const {
        return static_cast<double>(globalBatch) * sequence;
    }
};

struct Job : Setup {
    Machine machine;
    layout::Layout layout; // with chunks, micro-batches, sharding and schedule
    analysis::RecomputedParts recomputedParts = {}; // done again by Selective
    int packedSample = 0; // tokens that attend to each other in a packed sequence; 0: all
    bool sequenceParallel = false;
    bool dropout = false; // on the results of attention and MLP

    // Times that one token more of each sample goes through: the prompt gives the first.
    [[nodiscard]] int decodes() const { return isInference() && generated > 1 ? generated - 1 : 0; }
    // Micro-batches that the pipeline works on at a time: of inference no more than keep its stages
    // busy, since the keys and values of all of them are kept.
    [[nodiscard]] int inFlight() const {
        const int stages = layout.grid.degrees().pipeline;
        return decodes() > 0 && microbatches() > stages ? stages : microbatches();
    }
    // By its software: what is between products, as one GPU in plain PyTorch runs it.
    [[nodiscard]] analysis::Kernels kernels() const;
    // Weights in 32 bits, cast for products of 16: as plain PyTorch has them unless said otherwise.
    [[nodiscard]] bool castsWeights() const;
    // Weights in no more bits than products take, so that nothing casts them.
    [[nodiscard]] bool keepsProductWeights() const {
        return kept.weights && *kept.weights <= bytesOf(precision);
    }
    [[nodiscard]] int gpus() const { return layout.grid.worldSize(); }
    [[nodiscard]] int microbatches() const { return layout.microbatches.value_or(1); }
};

// Plain PyTorch, unless compiled: what trains a dense model on one GPU.
inline constexpr std::string_view kPlainStack = "pytorch";
inline constexpr std::string_view kCompiledStack = "pytorch-compiled";
bool isPlainByUse(const Job& job); // asked where no stack is said

// The source of runs that users measure themselves: they share their noise.
inline constexpr const char* kMeasuredRunsSource = "measured runs";
// A job that was run, and how long its step took.
struct MeasuredJob {
    Job job;
    double seconds = 0.0; // a step's
    std::string source; // name of those who measured; rows of one source share their noise
    double version = 0.0; // the software's, in years; 0: not known
    bool isQualified = false; // by a footnote of its source: believed less
    std::string configuration = {}; // equal where jobs differ in software versions alone
};

} // namespace trainscope::predict
