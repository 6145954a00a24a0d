#pragma once
// The fields of a launch configuration under the names they have in the store and in its facts; one
// list serves writing, reading and filling. `origin` is not one of them.

#include "core/model/Run.h"

namespace trainscope {

// Calls visit(name, pointer to member) for each field, always in this order.
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
}

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
