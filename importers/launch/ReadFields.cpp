#include "importers/launch/Fields.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::importers::launch {

namespace {

constexpr int kMostPieces = 100'000; // a model has

// `whole` over the factors, where it divides.
std::optional<int> quotient(std::int64_t whole, std::initializer_list<int> factors) {
    for (const int factor : factors) {
        if (whole % factor != 0)
            return std::nullopt;
        whole /= factor;
    }
    return whole <= std::numeric_limits<int>::max() ? std::optional(static_cast<int>(whole))
                                                    : std::nullopt;
}

std::optional<int> product(std::initializer_list<int> factors) {
    std::int64_t whole = 1;
    for (const int factor : factors) {
        whole *= factor;
        if (whole > std::numeric_limits<int>::max())
            return std::nullopt;
    }
    return static_cast<int>(whole);
}

// `devices` may be a number, a list of indices, or a text like "0,1,2,3".
std::optional<int> gpusPerNode(const Fields& fields) {
    if (const auto number = fields.count({"trainer.devices", "trainer.gpus", "gpus_per_node",
            "nproc_per_node", "num_gpus", "devices"}))
        return number;
    // Accelerate says the processes of all machines.
    const auto processes = fields.count({"num_processes"});
    if (const auto machines = fields.count({"num_machines"}); processes && machines)
        return quotient(*processes, {*machines});
    if (const auto length = fields.count({"trainer.devices#", "trainer.gpus#"}))
        return length;
    const auto text = fields.word({"trainer.devices", "trainer.gpus"});
    if (!text || text->find_first_not_of("0123456789, ") != std::string::npos)
        return std::nullopt;
    const auto commas = std::count(text->begin(), text->end(), ',');
    return commas > 0 ? std::optional(static_cast<int>(commas) + 1) : std::nullopt;
}

std::optional<std::int64_t> gpusOf(const Fields& fields, const LaunchConfig& config) {
    if (const int gpus = launchedGpus(config); gpus > 0)
        return gpus;
    const auto world = fields.count({"global_num_gpus", "world_size"});
    return world ? std::optional<std::int64_t>(*world) : std::nullopt;
}

std::optional<int> dataParallel(const Fields& fields, const LaunchConfig& config) {
    const auto gpus = gpusOf(fields, config);
    if (!gpus || !config.tensorParallel || !config.pipelineParallel)
        return std::nullopt;
    return quotient(*gpus,
        {*config.tensorParallel, *config.pipelineParallel, config.contextParallel.value_or(1)});
}

// The strategy as Lightning ("deepspeed_stage_3", "fsdp") and Accelerate ("FSDP") call it.
std::string strategyOf(const Fields& fields) {
    return lowered(
        fields.word({"distributed_type", "trainer.strategy", "strategy"}).value_or(std::string()));
}

std::optional<int> zeroStage(const Fields& fields) {
    if (const auto stated = fields.count({"zero_optimization.stage", "zero_stage"}, 0))
        return stated;
    constexpr std::string_view kStage = "deepspeed_stage_";
    const std::string strategy = strategyOf(fields);
    return strategy.starts_with(kStage)
        ? wholeNumber<int>(std::string_view(strategy).substr(kStage.size(), 1))
        : std::nullopt;
}

// Hugging Face says how: "full_shard auto_wrap".
std::optional<bool> fsdp(const Fields& fields) {
    const std::string how = lowered(fields.word({"fsdp"}).value_or(std::string()));
    if (how.find("shard") != std::string::npos || strategyOf(fields).starts_with("fsdp"))
        return true;
    if (const auto shards = fields.count({"data_parallel_shard_degree"}, -1))
        return *shards != 1;
    return fields.anyOf({"fsdp", "use_torch_fsdp2", "use_custom_fsdp", "use_megatron_fsdp"});
}

void readDegrees(const Fields& fields, LaunchConfig& config) {
    config.nodes = fields.count({"trainer.num_nodes", "num_nodes", "nnodes", "num_machines"});
    config.gpusPerNode = gpusPerNode(fields);
    config.tensorParallel
        = fields.count({"tensor_model_parallel_size", "model_parallel_size", "tensor_parallel_size",
            "tensor_parallel_degree", "megatron_lm_tp_degree", "tp_size", "tp"});
    config.pipelineParallel = fields.count(
        {"pipeline_model_parallel_size", "pipe_parallel_size", "pipeline_parallel_size",
            "pipeline_parallel_degree", "megatron_lm_pp_degree", "pp_size", "pp"});
    config.virtualPipeline = fields.count({"virtual_pipeline_model_parallel_size"});
    config.contextParallel
        = fields.count({"context_parallel_size", "context_parallel_degree", "cp_size", "cp"});
    config.expertParallel = fields.count({"expert_model_parallel_size", "moe_expert_parallel_size",
        "expert_parallel_degree", "ep_size", "ep"});
    config.expertTensorParallel
        = fields.count({"expert_tensor_parallel_size", "expert_tensor_model_parallel_size"});
    config.dataParallel = fields.count({"data_parallel_size", "dp_size", "dp"});
    // torchtitan replicates groups of shards; -1: all GPUs that are left.
    const auto shards = fields.count({"data_parallel_shard_degree"});
    const auto replicas = fields.count({"data_parallel_replicate_degree"});
    if (!config.dataParallel && shards && replicas)
        config.dataParallel = product({*shards, *replicas});
    if (shards && replicas.value_or(1) > 1)
        config.shardGroup = shards;
    if (!config.dataParallel)
        config.dataParallel = dataParallel(fields, config);
    config.sequenceParallel = fields.flag({"sequence_parallel"});
    config.zeroStage = zeroStage(fields);
    config.fsdp = fsdp(fields);
    if (fields.flag({"use_tp_pp_dp_mapping"}).value_or(false))
        config.rankOrder = "tp-cp-ep-pp-dp";
}

// Layers of each piece of the model where embedding, loss or both count as a layer, with which all
// pieces are equal.
std::optional<std::string> accountedLayers(const Fields& fields, const LaunchConfig& config) {
    const int before
        = fields.flag({"account_for_embedding_in_pipeline_split"}).value_or(false) ? 1 : 0;
    const int behind = fields.flag({"account_for_loss_in_pipeline_split"}).value_or(false) ? 1 : 0;
    const auto pieces
        = product({config.pipelineParallel.value_or(1), config.virtualPipeline.value_or(1)});
    if (before + behind == 0 || !config.layers || !pieces || *pieces < 2 || *pieces > kMostPieces)
        return std::nullopt;
    const auto each = quotient(std::int64_t{*config.layers} + before + behind, {*pieces});
    if (!each)
        return std::nullopt;
    std::vector<int> layers(static_cast<std::size_t>(*pieces), *each);
    layers.front() -= before;
    layers.back() -= behind;
    return fmt::format("{}", fmt::join(layers, ","));
}

// A text list of the layers of each stage, where the first or the last stage has a number of its
// own; the others share the rest equally.
std::optional<std::string> stageLayers(const Fields& fields, const LaunchConfig& config) {
    const auto first
        = fields.count({"num_layers_in_first_pipeline_stage", "decoder_first_pipeline_num_layers"});
    const auto last
        = fields.count({"num_layers_in_last_pipeline_stage", "decoder_last_pipeline_num_layers"});
    const int stages = config.pipelineParallel.value_or(1);
    const int between = stages - (first ? 1 : 0) - (last ? 1 : 0);
    if (!first && !last)
        return accountedLayers(fields, config);
    if (!config.layers || between < 1)
        return std::nullopt;
    const int rest = *config.layers - first.value_or(0) - last.value_or(0);
    if (rest < between || rest % between != 0)
        return std::nullopt;
    std::string text = first ? std::to_string(*first) : std::string();
    for (int i = 0; i < between; ++i)
        text += (text.empty() ? "" : ",") + std::to_string(rest / between);
    return last ? text + "," + std::to_string(*last) : text;
}

std::optional<bool> gatedMlp(const Fields& fields) {
    if (const auto swiglu = fields.flag({"swiglu"}))
        return swiglu;
    const auto activation
        = fields.word({"activation", "activation_func", "hidden_act", "hidden_activation"});
    if (!activation)
        return std::nullopt;
    const std::string name = lowered(*activation);
    // Hugging Face configurations name the function inside the gate: "silu".
    return name.find("glu") != std::string::npos || name == "silu" || name == "swish";
}

std::optional<bool> tiedEmbeddings(const Fields& fields) {
    if (const auto tied
        = fields.flag({"share_embeddings_and_output_weights", "tie_word_embeddings"}))
        return tied;
    const auto untied = fields.flag({"untie_embeddings_and_output_weights", "no_weight_tying"});
    return untied ? std::optional(!*untied) : std::nullopt;
}

std::optional<int> kvHeads(const Fields& fields) {
    // Megatron prints its default of one group even where it does not group.
    if (!fields.flag({"group_query_attention"}).value_or(true))
        return std::nullopt;
    return fields.count({"num_query_groups", "num_key_value_heads", "num_kv_heads"});
}

// "Llama-3-8B" of "meta-llama/Llama-3-8B" or of a folder; a model by its shape alone has no name.
std::optional<std::string> modelName(const Fields& fields) {
    const auto family = fields.word({"model.name"}); // torchtitan's: "llama3"
    if (const auto flavor = fields.word({"model.flavor"}); flavor && family)
        return *family + "-" + *flavor;
    auto name = fields.word({"model_name_or_path", "pretrained_model_name_or_path", "model_name",
        "hf_model", "model", "_name_or_path"});
    if (!name)
        return name;
    while (name->ends_with('/'))
        name->pop_back();
    const std::string last = name->substr(name->rfind('/') + 1);
    return last.empty() ? std::nullopt : std::optional(last);
}

void readModel(const Fields& fields, LaunchConfig& config) {
    config.model = modelName(fields);
    config.layers = fields.count({"num_layers", "num_hidden_layers", "n_layer"});
    config.hiddenSize = fields.count({"hidden_size", "n_embd"});
    config.attentionHeads = fields.count({"num_attention_heads", "n_head"});
    config.kvHeads = kvHeads(fields);
    config.headSize = fields.count({"kv_channels", "head_dim"});
    config.gatedMlp = gatedMlp(fields);
    config.vocabulary = fields.count({"padded_vocab_size", "override_vocab_size", "vocab_size"});
    config.tiedEmbeddings = tiedEmbeddings(fields);
    config.experts
        = fields.count({"num_moe_experts", "num_experts", "num_local_experts", "n_routed_experts"});
    if (config.experts.value_or(1) > 1)
        config.expertsPerToken
            = fields.count({"moe_router_topk", "num_experts_per_tok", "moe_top_k", "topk"});
    config.ffnSize = config.experts.value_or(1) > 1
        ? fields.count({"moe_ffn_hidden_size", "moe_intermediate_size"})
        : std::nullopt;
    if (!config.ffnSize)
        config.ffnSize = fields.count({"ffn_hidden_size", "intermediate_size", "n_inner"});
    config.stageLayers = stageLayers(fields, config);
}

std::optional<Workload> workload(const Fields& fields) {
    // NeMo's generation script is the one that asks how to serve.
    const bool serves = fields.hasSection("server") || fields.hasSection("web_server");
    if (serves && fields.hasSection("inference"))
        return Workload::Inference;
    const std::string scheme
        = lowered(fields.word({"peft.peft_scheme", "peft_scheme"}).value_or(""));
    if (scheme.find("lora") != std::string::npos)
        return Workload::Lora;
    const bool trains
        = fields.count({"trainer.max_steps", "train_iters", "train_samples", "training.steps"})
        || fields.hasSection("model.optim") || fields.word({"optimizer.type"});
    return trains ? std::optional(Workload::Training) : std::nullopt;
}

// "fp32" of "torch.float32", "float32" or "fp32".
std::string typeOf(std::string_view stated) {
    std::string type = lowered(stated);
    if (type.starts_with("torch."))
        type.erase(0, 6);
    if (type.starts_with("bf"))
        return "bf16";
    return type.starts_with("float") ? "fp" + type.substr(5) : type;
}

std::optional<std::string> products(const Fields& fields) {
    if (auto stated = fields.word({"trainer.precision", "precision", "torch_dtype", "dtype"}))
        return stated;
    for (const char* converter : {"model.converters.0", "model.converters.1"}) {
        if (const auto name = fields.word({converter}); name && name->starts_with("float8"))
            return "fp8";
    }
    if (fields.flag({"float8.enable_float8_linear"}).value_or(false))
        return "fp8";
    if (const auto param = fields.word({"mixed_precision_param"}))
        return typeOf(*param);
    const auto mixed = fields.word({"mixed_precision"}); // Accelerate's; "no" leaves it open
    if (mixed && lowered(*mixed) != "no")
        return mixed;
    if (fields.flag({"bf16", "bf16.enabled", "bfloat16.enabled"}).value_or(false))
        return "bf16";
    if (fields.flag({"fp16", "fp16.enabled"}).value_or(false))
        return "fp16";
    return std::nullopt;
}

// Types that numbers are kept in, as Megatron-LM, DeepSpeed and scripts in pure 16 bits say them.
std::string keptTypes(const Fields& fields) {
    if (fields.flag({"pure_bf16", "pure_fp16", "bf16_full"}).value_or(false))
        return "-pure";
    struct Kept {
        std::string_view name;
        std::optional<std::string> type;
    };
    const bool isAware = fields.flag({"use_precision_aware_optimizer"}).value_or(false);
    const auto aware
        = [&](Keys keys) { return isAware ? fields.word(keys) : std::optional<std::string>(); };
    std::string list;
    for (const Kept& kept : {Kept{"weights", fields.word({"training.dtype"})},
             Kept{"gradients",
                 isAware ? fields.word({"main_grads_dtype"})
                         : fields.word({"data_types.grad_accum_dtype", "grad_accum_dtype"})},
             Kept{"states", aware({"exp_avg_dtype", "exp_avg_sq_dtype"})},
             Kept{"master", aware({"main_params_dtype"})}}) {
        if (kept.type)
            list += fmt::format(",{}={}", kept.name, typeOf(*kept.type));
    }
    return list;
}

std::optional<std::string> precision(const Fields& fields) {
    const std::string kept = keptTypes(fields);
    auto stated = products(fields);
    if (kept.empty())
        return stated;
    return typeOf(stated.value_or("bf16")) + kept;
}

// Fine-tuning and generation read their batches by a data set's own settings, which go before the
// model's.
void readBatch(const Fields& fields, LaunchConfig& config) {
    if (config.workload == Workload::Inference) {
        config.microBatch = fields.count({"data.test_ds.micro_batch_size"});
        config.globalBatch = fields.count({"data.test_ds.global_batch_size"});
        config.sequenceLength = fields.count({"data.test_ds.max_seq_length"});
        config.generatedTokens
            = fields.count({"data.test_ds.tokens_to_generate", "inference.tokens_to_generate"});
    } else {
        config.microBatch = fields.count({"data.train_ds.micro_batch_size"});
        config.globalBatch = fields.count({"data.train_ds.global_batch_size"});
        config.sequenceLength = fields.count({"data.train_ds.max_seq_length"});
    }
    if (!config.microBatch)
        config.microBatch = fields.count(
            {"micro_batch_size", "train_micro_batch_size_per_gpu", "per_device_train_batch_size",
                "micro_batch", "mbs", "pipeline_parallel_microbatch_size"});
    // torchtitan's is a rank's, which pipelines cut; it accumulates where the global one is said.
    const auto ofRank = fields.word({"model.flavor"})
        ? fields.count({"training.local_batch_size", "training.batch_size"})
        : std::nullopt;
    if (!config.microBatch && config.pipelineParallel.value_or(1) == 1)
        config.microBatch = ofRank;
    // Hugging Face's train_batch_size is that of a device.
    const bool isOfDevice = fields.count({"per_device_train_batch_size"}).has_value();
    if (!config.globalBatch)
        config.globalBatch = fields.count({"global_batch_size", "global_batch", "gbs"});
    if (!config.globalBatch && !isOfDevice)
        config.globalBatch = fields.count({"train_batch_size"});
    if (!config.globalBatch && ofRank && config.dataParallel)
        config.globalBatch = product({*ofRank, *config.dataParallel});
    if (!config.sequenceLength)
        config.sequenceLength = fields.count({"encoder_seq_length", "seq_length", "data.seq_length",
            "block_size", "max_seq_length", "max_seq_len", "seq_len", "sequence_length"});
    config.gradientAccumulation = fields.count(
        {"gradient_accumulation_steps", "gas", "accumulate_grad_batches", "grad_accum_steps"});
    // nanoGPT accumulates so many micro-batches over all of its ranks.
    if (!config.microBatch && config.gradientAccumulation && fields.count({"block_size"})) {
        config.microBatch = fields.count({"batch_size"});
        if (config.microBatch)
            config.globalBatch = product({*config.microBatch, *config.gradientAccumulation});
        config.gradientAccumulation.reset();
    }
    if (!config.globalBatch && config.gradientAccumulation && config.microBatch
        && config.dataParallel)
        config.globalBatch
            = product({*config.microBatch, *config.gradientAccumulation, *config.dataParallel});
    if (!config.gradientAccumulation && config.globalBatch && config.microBatch
        && config.dataParallel)
        config.gradientAccumulation
            = quotient(*config.globalBatch, {*config.microBatch, *config.dataParallel});
}

// "full" or "selective" as it is in force; empty: none.
std::optional<std::string> granularity(const Fields& fields) {
    const auto stated = fields.text({"activations_checkpoint_granularity", "recompute_granularity",
        "activation_checkpoint.mode"});
    const auto layers = fields.text({"activations_checkpoint_num_layers", "recompute_num_layers"});
    const auto method = fields.text({"activations_checkpoint_method", "recompute_method"});
    if (!stated && !method)
        return std::nullopt;
    const std::string chosen = lowered(stated.value_or(""));
    if (chosen == "selective")
        return chosen;
    const bool hasNoLayers = layers && *layers == "0";
    const bool isFull = (chosen == "full" || !method.value_or("").empty()) && !hasNoLayers;
    return isFull ? "full" : "";
}

void readRecompute(const Fields& fields, LaunchConfig& config) {
    const auto stated = granularity(fields);
    if (stated)
        config.recompute = !stated->empty();
    else
        config.recompute = fields.anyOf(
            {"recompute_activations", "checkpoint_activations", "gradient_checkpointing"});
    if (stated && !stated->empty())
        config.recomputeGranularity = stated;
}

// By Megatron's names, of which it prints a list: for each layer, which are not told apart here.
std::optional<std::string> contextExchange(const Fields& fields, const LaunchConfig& config) {
    const auto stated = fields.word({"cp_comm_type"});
    if (!stated || config.contextParallel.value_or(1) < 2)
        return std::nullopt;
    const std::string list = lowered(*stated);
    const auto names = words(list, "[]'\", ");
    if (names.empty()
        || std::ranges::any_of(names, [&](std::string_view name) { return name != names.front(); }))
        return std::nullopt;
    if (names.front() == "p2p")
        return "ring";
    if (names.front() == "a2a")
        return "all-to-all";
    return names.front() == "allgather" || names.front() == "all_gather"
        ? std::optional<std::string>("gather")
        : std::nullopt;
}

std::optional<bool> cudaGraphs(const Fields& fields) {
    if (const auto kind = fields.text({"cuda_graph_impl"}))
        return !kind->empty() && lowered(*kind) != "none";
    return fields.anyOf({"enable_cuda_graph", "external_cuda_graph"});
}

// Megatron-LM offloads the optimizer and layers of each stage, DeepSpeed the optimizer.
std::optional<std::string> offload(const Fields& fields) {
    std::string text;
    const bool isOnHost = fields.flag({"optimizer_cpu_offload"}).value_or(false)
        || fields.word({"zero_optimization.offload_optimizer.device"}).value_or("") == "cpu";
    const auto share
        = fields.word({"optimizer_offload_fraction", "zero_optimization.offload_optimizer.ratio"});
    if (isOnHost)
        text = share ? "optimizer:" + *share : "optimizer";
    const auto layers = fields.count({"cpu_offloading_num_layers"});
    if (layers && fields.flag({"cpu_offloading"}).value_or(true))
        text += fmt::format("{}activations:{}", text.empty() ? "" : ",", *layers);
    return text.empty() ? std::nullopt : std::optional(text);
}

} // namespace

LaunchConfig readFields(const Fields& fields) {
    LaunchConfig config;
    config.workload = workload(fields);
    readDegrees(fields, config);
    readModel(fields, config);
    readBatch(fields, config);
    readRecompute(fields, config);
    config.precision = precision(fields);
    config.overlap = fields.anyOf({"optim.overlap_grad_sync", "optim.overlap_param_sync",
        "overlap_grad_sync", "overlap_param_sync", "ub_tp_comm_overlap", "tp_comm_overlap",
        "overlap_grad_reduce", "overlap_param_gather"});
    config.optimizer = fields.word({"optim.name", "optimizer.type", "optimizer.name", "optimizer"});
    config.contextExchange = contextExchange(fields, config);
    config.cudaGraphs = cudaGraphs(fields);
    config.offload = offload(fields);
    config.maxSteps
        = fields.count({"trainer.max_steps", "train_iters", "max_steps", "training.steps"});
    return config;
}

} // namespace trainscope::importers::launch
