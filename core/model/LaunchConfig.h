#pragma once
// The launch configuration of a run, and the names that its fields have in the store and in its
// facts; one list serves writing, reading and filling.

#include "core/model/EnumNames.h"

#include <cstdint>

namespace trainscope {

enum class Workload {
    Training, // pre-training or full fine-tuning: all weights
    Lora, // training of adapters beside frozen weights
    Inference,
};
constexpr auto namesOf(Workload) {
    return enumNames("training", "lora", "inference");
}

// Launch configuration, as far as a YAML, an argument dump or a trace says it. A new field is a
// line here, one in forEachLaunchField(), and a column in the store's schema.
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
    std::optional<int> ffnSize; // mixture of experts: one expert's
    std::optional<bool> gatedMlp; // SwiGLU and the like: three matrices instead of two
    std::optional<int> vocabulary;
    std::optional<bool> tiedEmbeddings; // input and output embedding share their weights
    std::optional<int> experts;
    std::optional<int> expertsPerToken; // top-k
    std::optional<int> expertTensorParallel;
    std::optional<std::string> rankOrder; // "tp-cp-ep-dp-pp", fastest first
    // Layers of each pipeline stage, or of each piece of interleaved ones: "19,21,21,19".
    std::optional<std::string> stageLayers;
    std::optional<int> zeroStage; // 0..3
    std::optional<bool> fsdp;
    std::optional<bool> sequenceParallel;
    std::optional<int> gradientAccumulation; // micro-batches per step and data-parallel rank
    std::optional<std::string> recomputeGranularity; // "full", "selective"
    std::optional<std::string> optimizer; // "fused_adam"
    std::optional<int> maxSteps;
    std::optional<int> generatedTokens; // inference: tokens made for each sample
    std::optional<std::string> pipelineSchedule; // "zero-bubble", see core/layout/Schedule.h
    std::optional<int> shardGroup; // ranks of one shard group (hybrid sharding); all when absent
    std::optional<int> recomputedLayers; // on each stage; all when absent
    std::optional<std::string> adapters; // LoRA: "16:qkv+out", see core/analysis/machine
    std::optional<int> powerLimitW; // per GPU, where it was lowered
    std::optional<int> lockedClockMhz; // per GPU, where it was locked
    std::optional<std::string> contextExchange; // "all-to-all", see core/predict/Job.h
    std::optional<bool> cudaGraphs; // layers are launched as graphs
    std::optional<std::string> offload; // "optimizer:0.5", see core/analysis/machine/MemoryNeed.h
    std::string origin; // the file that said so; empty: nothing known

    bool operator==(const LaunchConfig&) const = default;
};

// Calls visit(name, pointer to member) for each field, always in this order; `origin` is
// not one of them.
template <typename Visit>
void forEachLaunchField(Visit&& visit) {
    visit("model", &LaunchConfig::model);
    visit("precision", &LaunchConfig::precision);
    visit("nodes", &LaunchConfig::nodes);
    visit("gpus_per_node", &LaunchConfig::gpusPerNode);
    visit("tensor_parallel", &LaunchConfig::tensorParallel);
    visit("pipeline_parallel", &LaunchConfig::pipelineParallel);
    visit("virtual_pipeline", &LaunchConfig::virtualPipeline);
    visit("context_parallel", &LaunchConfig::contextParallel);
    visit("expert_parallel", &LaunchConfig::expertParallel);
    visit("data_parallel", &LaunchConfig::dataParallel);
    visit("micro_batch", &LaunchConfig::microBatch);
    visit("global_batch", &LaunchConfig::globalBatch);
    visit("sequence_length", &LaunchConfig::sequenceLength);
    visit("layers", &LaunchConfig::layers);
    visit("hidden_size", &LaunchConfig::hiddenSize);
    visit("recompute", &LaunchConfig::recompute);
    visit("overlap", &LaunchConfig::overlap);
    visit("workload", &LaunchConfig::workload);
    visit("attention_heads", &LaunchConfig::attentionHeads);
    visit("kv_heads", &LaunchConfig::kvHeads);
    visit("head_size", &LaunchConfig::headSize);
    visit("ffn_size", &LaunchConfig::ffnSize);
    visit("gated_mlp", &LaunchConfig::gatedMlp);
    visit("vocabulary", &LaunchConfig::vocabulary);
    visit("tied_embeddings", &LaunchConfig::tiedEmbeddings);
    visit("experts", &LaunchConfig::experts);
    visit("experts_per_token", &LaunchConfig::expertsPerToken);
    visit("expert_tensor_parallel", &LaunchConfig::expertTensorParallel);
    visit("rank_order", &LaunchConfig::rankOrder);
    visit("stage_layers", &LaunchConfig::stageLayers);
    visit("zero_stage", &LaunchConfig::zeroStage);
    visit("fsdp", &LaunchConfig::fsdp);
    visit("sequence_parallel", &LaunchConfig::sequenceParallel);
    visit("gradient_accumulation", &LaunchConfig::gradientAccumulation);
    visit("recompute_granularity", &LaunchConfig::recomputeGranularity);
    visit("optimizer", &LaunchConfig::optimizer);
    visit("max_steps", &LaunchConfig::maxSteps);
    visit("generated_tokens", &LaunchConfig::generatedTokens);
    visit("pipeline_schedule", &LaunchConfig::pipelineSchedule);
    visit("shard_group", &LaunchConfig::shardGroup);
    visit("recomputed_layers", &LaunchConfig::recomputedLayers);
    visit("adapters", &LaunchConfig::adapters);
    visit("power_limit_w", &LaunchConfig::powerLimitW);
    visit("locked_clock_mhz", &LaunchConfig::lockedClockMhz);
    visit("context_exchange", &LaunchConfig::contextExchange);
    visit("cuda_graphs", &LaunchConfig::cudaGraphs);
    visit("offload", &LaunchConfig::offload);
}

// More than any job has of anything, and than any cluster has of GPUs: who says so is not believed.
inline constexpr int kMostOfJob = 100'000'000;
inline constexpr int kMostGpus = 1'000'000;
// The count, or 0 where it is none of a cluster.
int believableGpus(std::int64_t count);
// Nodes × GPUs of a node, else the product of the degrees where data parallelism is one of them; 0
// where neither is said or believable.
int launchedGpus(const LaunchConfig& launch);

// Fills what `known` does not say yet from `more`.
inline void fillLaunch(LaunchConfig& known, const LaunchConfig& more) {
    if (known.origin.empty())
        known.origin = more.origin;
    forEachLaunchField([&](const char*, auto member) {
        if (!(known.*member))
            known.*member = more.*member;
    });
}

} // namespace trainscope
