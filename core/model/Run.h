#pragma once
// A run and the machine it ran on, as plain values. Optional fields are what a source did not say;
// nothing is assumed in their place.

#include "core/model/Id.h"
#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope {

enum class RunKind { Measured, Predicted };
enum class RunStatus {
    Ok,
    Oom, // ended in out-of-memory (CharLLM-PPT: under 10 samples on rank 0)
    Partial, // some of it could not be read
};

enum class Workload {
    Training, // of all weights: pre-training or full fine-tuning
    Lora, // training of adapters beside frozen weights
    Inference,
};

// Launch configuration, as far as a YAML, an argument dump or a trace says it. A new field is a
// line here, in LaunchFields.h, and a column in the store's schema.
struct LaunchConfig {
    std::optional<std::string> model; // "gpt3-175b"
    std::optional<std::string> precision; // "bf16"
    std::optional<int> nodes;
    std::optional<int> gpusPerNode;
    std::optional<int> tensorParallel;
    std::optional<int> pipelineParallel;
    std::optional<int> virtualPipeline;
    std::optional<int> contextParallel;
    std::optional<int> expertParallel;
    std::optional<int> dataParallel;
    std::optional<int> microBatch; // samples
    std::optional<int> globalBatch; // samples
    std::optional<int> sequenceLength; // tokens
    std::optional<int> layers;
    std::optional<int> hiddenSize;
    std::optional<bool> recompute;
    std::optional<bool> overlap; // compute-communication overlap
    std::optional<Workload> workload;
    std::optional<int> attentionHeads;
    std::optional<int> kvHeads; // query groups; the heads when absent
    std::optional<int> headSize; // hidden size / heads when absent
    std::optional<int> ffnSize; // of one expert in a mixture of experts
    std::optional<bool> gatedMlp; // SwiGLU and the like: three matrices instead of two
    std::optional<int> vocabulary;
    std::optional<bool> tiedEmbeddings; // input and output embedding share their weights
    std::optional<int> experts;
    std::optional<int> expertsPerToken; // top-k
    std::optional<int> expertTensorParallel;
    std::optional<std::string> rankOrder; // "tp-cp-ep-dp-pp", fastest first
    std::optional<std::string> stageLayers; // layers of each pipeline stage: "19,21,21,19"
    std::optional<int> zeroStage; // 0..3
    std::optional<bool> fsdp;
    std::optional<bool> sequenceParallel;
    std::optional<int> gradientAccumulation; // micro-batches per step and data-parallel rank
    std::optional<std::string> recomputeGranularity; // "full", "selective"
    std::optional<std::string> optimizer; // "fused_adam"
    std::optional<int> maxSteps;
    std::optional<int> generatedTokens; // inference: tokens made for each sample
    std::string origin; // the file that said so; empty: nothing known

    bool operator==(const LaunchConfig&) const = default;
};

struct Run {
    RunId id;
    std::string name;
    RunKind kind = RunKind::Measured;
    RunStatus status = RunStatus::Ok;
    bool simulated = false; // the built-in sample: made by a generator, shown so
    std::string gpuModel; // "NVIDIA H200", empty: unknown
    TimeRange range{{0}, {0}}; // first sample or span to the end of the last; empty: no data
    int gpuCount = 0;
    int nodeCount = 0;
    int worldSize = 0; // ranks expected by the sources, 0: not said
    LaunchConfig launch;
};

struct Gpu {
    int rank = 0; // global
    int node = 0;
    int local = 0; // index in its node
    std::string model;
    std::string uuid;

    bool operator==(const Gpu&) const = default;
};

struct Iteration {
    std::int64_t index = 0; // as the source numbers it
    TimeRange range;
    int rank = -1; // the rank that marked it, -1: the whole run
    bool warmup = false;
};

std::string_view toString(RunKind kind); // "measured", "predicted"
std::string_view toString(RunStatus status); // "ok", "oom", "partial"
std::string_view toString(Workload workload); // "training", "lora", "inference"
std::optional<Workload> workloadFrom(std::string_view text); // of these texts

} // namespace trainscope
