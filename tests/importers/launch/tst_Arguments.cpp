// Megatron's arguments in scripts, commands and logs; DeepSpeed and Hugging Face JSON.

#include "core/model/LaunchConfig.h"
#include "importers/launch/LaunchFiles.h"
#include "support/PublishedExperiments.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

#include <cctype>

using namespace trainscope::importers::launch;

namespace {

LaunchConfig read(LaunchKind kind, const std::string& text) {
    const auto config = readLaunch(kind, text, "x");
    return config.hasValue() ? config.value() : LaunchConfig{};
}

std::string value(const std::string& text, const std::string& key) {
    const auto settings = readArguments(text);
    const auto found = settings.find(key);
    return found == settings.end() ? "absent" : found->second;
}

const std::string kScript = R"(#!/bin/bash
#SBATCH --nodes=4 --gpus-per-node=8
# --num-layers 1 is no setting but a comment
GPUS_PER_NODE=8
NNODES=${SLURM_NNODES:-4}
TP=8
export PP=4
MICRO=1
WORLD=$(($GPUS_PER_NODE*$NNODES))
GLOBAL_BATCH=$((MICRO * WORLD * 4))   # 128
DISTRIBUTED_ARGS="--nproc_per_node $GPUS_PER_NODE --nnodes ${NNODES}"
MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288 \
    --num-attention-heads 96 # heads
    --seq-length 2048
    --ffn-hidden-size=49152
)
torchrun $DISTRIBUTED_ARGS pretrain_gpt.py ${MODEL_ARGS[@]} \
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size $PP \
    --micro-batch-size ${MICRO} --global-batch-size $GLOBAL_BATCH \
    --train-iters 100 --sequence-parallel --bf16 --swiglu \
    --recompute-granularity selective \
    --num-layers-per-virtual-pipeline-stage $UNKNOWN \
    --decoder-first-pipeline-num-layers 20 --decoder-last-pipeline-num-layers 22
)";

using Row = test::ExperimentRow;

std::string orNull(const std::string& text) {
    return text.empty() ? "null" : text;
}

// The data section of fine-tuning and generation, whose batch goes before the model's.
std::string dataSet(const std::string& name, const Row& row) {
    return fmt::format("  data:\n    {}:\n      global_batch_size: {}\n      max_seq_length: {}\n"
                       "      micro_batch_size: {}\n      tokens_to_generate: 32\n",
        name, row["global_batch"], row["seq_len"], row["micro_batch"]);
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
        [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string modelSection(const Row& row) {
    std::string text = "model:\n";
    const auto add = [&text](const char* key, const std::string& value) {
        text += fmt::format("  {}: {}\n", key, value);
    };
    if (!row["model"].starts_with("gpt3"))
        add("activation", "fast-swiglu");
    add("activations_checkpoint_granularity", orNull(row["recompute_granularity"]));
    add("activations_checkpoint_method", orNull(row["recompute_method"]));
    add("activations_checkpoint_num_layers", orNull(row["recompute_num_layers"]));
    add("context_parallel_size", row["CP"]);
    add("encoder_seq_length", row["seq_len"]);
    add("expert_model_parallel_size", row["EP"]);
    add("ffn_hidden_size", row["ffn"]);
    if (row["FSDP"] == "True")
        add("fsdp", "true");
    add("global_batch_size", row["global_batch"]);
    add("hidden_size", row["hidden"]);
    add("kv_channels", "null");
    add("micro_batch_size", row["micro_batch"]);
    if (!row["num_experts"].empty()) {
        add("moe_router_topk", row["moe_topk"]);
        add("num_moe_experts", row["num_experts"]);
    }
    add("num_attention_heads", row["heads"]);
    add("num_layers", row["layers"]);
    add("num_query_groups", orNull(row["kv_groups"]));
    add("pipeline_model_parallel_size", row["PP"]);
    add("sequence_parallel", lower(row["sequence_parallel"]));
    add("tensor_model_parallel_size", row["TP"]);
    add("ub_tp_comm_overlap", lower(row["tp_comm_overlap"]));
    add("virtual_pipeline_model_parallel_size", orNull(row["VPP"]));
    return text
        + fmt::format("  optim:\n    name: {}\n    overlap_grad_sync: {}\n    overlap_param_sync: "
                      "{}\n  peft:\n    peft_scheme: {}\n",
            row["optimizer"], lower(row["overlap_grad_sync"]), lower(row["overlap_param_sync"]),
            row["peft"]);
}

std::string yamlOf(const Row& row) {
    std::string text = modelSection(row);
    const bool generates = row["script"].find("generate") != std::string::npos;
    if (generates)
        text += dataSet("test_ds", row);
    else if (row["peft"] == "lora")
        text += dataSet("train_ds", row);
    text += fmt::format(
        "trainer:\n  devices: {}\n  max_steps: {}\n  num_nodes: {}\n  precision: {}\n",
        row["gpus_per_node"], row["max_steps"], row["nodes"], row["precision"]);
    if (generates)
        text += "inference:\n  greedy: true\nserver: false\nweb_server: false\n";
    return text;
}

LaunchConfig expectedOf(const Row& row) {
    const auto number = [&row](const char* key) {
        const std::string& text = row[key];
        return text.empty() ? std::nullopt : std::optional(std::stoi(text));
    };
    const auto flag = [&row](const char* key) { return row[key] == "True"; };
    LaunchConfig launch;
    launch.precision = row["precision"];
    launch.nodes = number("nodes");
    launch.gpusPerNode = number("gpus_per_node");
    launch.tensorParallel = number("TP");
    launch.pipelineParallel = number("PP");
    launch.virtualPipeline = number("VPP");
    launch.contextParallel = number("CP");
    launch.expertParallel = number("EP");
    launch.dataParallel = number("DP");
    launch.microBatch = number("micro_batch");
    launch.globalBatch = number("global_batch");
    launch.sequenceLength = number("seq_len");
    launch.layers = number("layers");
    launch.hiddenSize = number("hidden");
    launch.attentionHeads = number("heads");
    launch.kvHeads = number("kv_groups");
    launch.ffnSize = number("ffn");
    if (!row["model"].starts_with("gpt3"))
        launch.gatedMlp = true;
    launch.experts = number("num_experts");
    launch.expertsPerToken = number("moe_topk");
    // 0 stands for a batch that is smaller than one micro-batch of every rank.
    if (row["grad_accum_microbatches"] != "0")
        launch.gradientAccumulation = number("grad_accum_microbatches");
    if (flag("FSDP"))
        launch.fsdp = true;
    launch.sequenceParallel = flag("sequence_parallel");
    launch.recompute = flag("recompute");
    if (flag("recompute"))
        launch.recomputeGranularity = row["recompute_granularity"];
    launch.overlap
        = flag("overlap_grad_sync") || flag("overlap_param_sync") || flag("tp_comm_overlap");
    launch.optimizer = row["optimizer"];
    launch.maxSteps = number("max_steps");
    // Some rows of the inference sweep run the fine-tuning script with adapters: that is what they
    // measured.
    launch.workload = row["peft"] == "lora" ? Workload::Lora
        : row["sweep"] == "inference"       ? Workload::Inference
                                            : Workload::Training;
    if (launch.workload == Workload::Inference)
        launch.generatedTokens = 32;
    launch.origin = "x.yaml";
    return launch;
}

} // namespace

class tst_Arguments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aScript() {
        LaunchConfig expected;
        expected.precision = "bf16";
        expected.nodes = 4;
        expected.gpusPerNode = 8;
        expected.tensorParallel = 8;
        expected.pipelineParallel = 4;
        expected.dataParallel = 1; // 32 / (8 × 4)
        expected.microBatch = 1;
        expected.globalBatch = 128; // 1 × 32 × 4
        expected.gradientAccumulation = 128;
        expected.sequenceLength = 2048;
        expected.layers = 96;
        expected.hiddenSize = 12288;
        expected.attentionHeads = 96;
        expected.ffnSize = 49152;
        expected.gatedMlp = true;
        expected.recompute = true;
        expected.recomputeGranularity = "selective";
        expected.sequenceParallel = true;
        expected.stageLayers = "20,27,27,22"; // (96 − 20 − 22) / 2 between
        expected.workload = Workload::Training;
        expected.maxSteps = 100;
        expected.origin = "x";
        QVERIFY(read(LaunchKind::Text, kScript) == expected);
    }

    void words_data() {
        // expected: value of seq_length
        const auto row = test::columns<std::string, std::string>("text", "expected");

        row("plain", "--seq-length 8", "8");
        row("equals", "--seq-length=8", "8");
        row("underscores", "--seq_length 8", "8");
        row("quotes", "--seq-length \"8\"", "8");
        row("listed", "['pretrain.py', '--seq-length', '8']", "8");
        row("last wins", "--seq-length 4 --seq-length 8", "8");
        row("flag", "--seq-length --bf16", "true");
        row("assigned", "S=8\n--seq-length $S", "8");
        row("assigned later", "--seq-length $S\nS=8", "8");
        row("quoted", "S=\"8\"\n--seq-length ${S}", "8");
        row("default", "--seq-length ${S:-8}", "8");
        row("assigned before the default", "S=4\n--seq-length ${S:-8}", "4");
        row("own default", "S=${S:-8}\n--seq-length $S", "8");
        row("argument with default", "S=${1:-8}\n--seq-length $S", "8");
        row("through two", "A=8\nB=$A\n--seq-length $B", "8");
        row("product", "A=2\nS=$((A * 2 * $A))\n--seq-length $S", "8");
        row("quotient", "--seq-length $((16/2))", "8");
        row("sum is not read", "--seq-length $((4+4))", "absent");
        row("from outside", "--seq-length $S", "absent");
        row("of itself", "S=$S\n--seq-length $S", "absent");
        row("of each other", "A=$B\nB=$A\n--seq-length $A", "absent");
        row("comment", "# --seq-length 8", "absent");
        row("comment behind", "x # --seq-length 8", "absent");
        row("other name", "--my-seq-length 8", "absent");
        row("dots", "  seq_length ........ 8", "8");
        row("dots in a log", "[default0]:  seq_length ..... 8\r", "8");
        row("dots before the command", "  seq_length ....... 8\n--seq-length 4", "8");
        row("updated", "  seq_length ........ 8...........updated", "8");
        row("default of NeoX", "  seq_length ..... None.....default", "None");
        row("no dots", "  seq_length . 8", "absent");
        row("cut off", "--seq-length ${S", "absent");
    }
    void words() {
        QFETCH(const std::string, text);
        QFETCH(const std::string, expected);
        QCOMPARE(value(text, "seq_length"), expected);
    }

    void paddedVocabulary() {
        QCOMPARE(value("rank0: > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
                     "padded_vocab_size"),
            std::string("50304"));
    }

    void overridesOfHydra() {
        const auto launch = read(LaunchKind::Text,
            "python train.py trainer.devices=8 trainer.num_nodes=2 ++model.num_layers=4 \\\n"
            "  model.micro_batch_size=2");
        QCOMPARE(launch.gpusPerNode.value_or(0), 8);
        QCOMPARE(launch.nodes.value_or(0), 2);
        QCOMPARE(launch.layers.value_or(0), 4);
        QCOMPARE(launch.microBatch.value_or(0), 2);
    }

    // Megatron prints one query group where queries are not grouped.
    void queryGroups() {
        const std::string dump = "  num_layers .... 4\n  num_query_groups .... 1\n";
        QVERIFY(!read(LaunchKind::Text, dump + "  group_query_attention .... False\n").kvHeads);
        QCOMPARE(read(LaunchKind::Text, dump + "  group_query_attention .... True\n").kvHeads, 1);
    }

    // Ways in which a job is run, which a prediction takes beside model and layout.
    void execution_data() {
        const auto row = test::columns<std::string, std::string>("text", "expected");

        const char* const none = "-, -, -";
        row("nothing", "--bf16 --num-layers 4", none);
        row("without context parallelism", "--num-layers 4 --cp-comm-type a2a", none);
        row("exchange", "--num-layers 4 --context-parallel-size 4 --cp-comm-type a2a",
            "all-to-all, -, -");
        row("printed",
            "  num_layers ... 4\n  context_parallel_size ... 4\n  cp_comm_type ....... ['p2p']\n",
            "ring, -, -");
        row("gathered", "--num-layers 4 --context-parallel-size 4 --cp-comm-type all_gather",
            "gather, -, -");
        row("both", "--num-layers 4 --context-parallel-size 4 --cp-comm-type a2a+p2p", none);
        row("by layer",
            "  num_layers ... 4\n  context_parallel_size ... 4\n  cp_comm_type ... ['p2p', "
            "'a2a']\n",
            none);
        row("graphs", "--num-layers 4 --enable-cuda-graph", "-, yes, -");
        row("printed graphs", "  num_layers ... 4\n  enable_cuda_graph ...... False\n", "-, no, -");
        row("kind of graphs", "--num-layers 4 --cuda-graph-impl local", "-, yes, -");
        row("kind of none", "--num-layers 4 --cuda-graph-impl none", "-, no, -");
        row("optimizer", "--num-layers 4 --optimizer-cpu-offload", "-, -, optimizer");
        row("share", "--num-layers 4 --optimizer-cpu-offload --optimizer-offload-fraction 0.5",
            "-, -, optimizer:0.5");
        row("not offloaded", "  num_layers ... 4\n  optimizer_offload_fraction ... 1.0\n", none);
        row("layers", "--num-layers 4 --cpu-offloading-num-layers 2", "-, -, activations:2");
    }
    void execution() {
        QFETCH(const std::string, text);
        QFETCH(const std::string, expected);
        const LaunchConfig launch = read(LaunchKind::Text, text);
        const std::string graphs
            = launch.cudaGraphs ? (*launch.cudaGraphs ? "yes" : "no") : std::string("-");
        QCOMPARE(launch.contextExchange.value_or("-") + ", " + graphs + ", "
                + launch.offload.value_or("-"),
            expected);
    }

    void deepSpeedOffload() {
        const auto launch = read(LaunchKind::Json,
            R"({"train_batch_size": 256, "zero_optimization": {"stage": 2,
            "offload_optimizer": {"device": "cpu", "ratio": 0.3}}})");
        QCOMPARE(launch.offload.value_or("-"), std::string("optimizer:0.3"));
    }

    void deepSpeed() {
        const auto launch = read(LaunchKind::Json, R"({"train_batch_size": 256,
            "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8,
            "zero_optimization": {"stage": 3, "overlap_comm": true}, "bf16": {"enabled": true},
            "fp16": {"enabled": false}, "optimizer": {"type": "AdamW", "params": {"lr": 0.1}}})");
        LaunchConfig expected;
        expected.globalBatch = 256;
        expected.microBatch = 4;
        expected.gradientAccumulation = 8;
        expected.zeroStage = 3;
        expected.precision = "bf16";
        expected.optimizer = "AdamW";
        expected.workload = Workload::Training;
        expected.origin = "x";
        QVERIFY(launch == expected);
        const auto automatic = read(
            LaunchKind::Json, R"({"train_batch_size": "auto", "zero_optimization": {"stage": 0}})");
        QVERIFY(!automatic.globalBatch);
        QCOMPARE(automatic.zeroStage, 0);
    }

    // 16 processes on two machines.
    void accelerate() {
        const auto launch = read(LaunchKind::Yaml,
            "distributed_type: FSDP\nfsdp_config: {fsdp_sharding_strategy: FULL_SHARD}\n"
            "mixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\n");
        QCOMPARE(launch.nodes, 2);
        QCOMPARE(launch.gpusPerNode, 8);
        QCOMPARE(launch.fsdp, true);
        QCOMPARE(launch.precision, std::string("bf16"));
        const auto megatron = read(LaunchKind::Yaml,
            "distributed_type: MEGATRON_LM\nmixed_precision: 'no'\n"
            "megatron_lm_config: {megatron_lm_tp_degree: 4, megatron_lm_pp_degree: 2}\n");
        QCOMPARE(megatron.tensorParallel, 4);
        QCOMPARE(megatron.pipelineParallel, 2);
        QVERIFY(!megatron.precision);
        QCOMPARE(read(LaunchKind::Yaml, "deepspeed_config: {zero_stage: 3}").zeroStage, 3);
    }

    void lightningHyperparameters() {
        const auto launch = read(LaunchKind::Yaml,
            "model_name: meta-llama/Llama-3-8B\nprecision: bf16-mixed\ndevices: 8\nnum_nodes: 1\n"
            "strategy: deepspeed_stage_2_offload\naccumulate_grad_batches: 4\n"
            "max_seq_length: 2048\n");
        QCOMPARE(launch.model, std::string("Llama-3-8B"));
        QCOMPARE(launch.gpusPerNode, 8);
        QCOMPARE(launch.zeroStage, 2);
        QCOMPARE(launch.gradientAccumulation, 4);
        QCOMPARE(launch.sequenceLength, 2048);
        QCOMPARE(read(LaunchKind::Yaml, "strategy: fsdp\ndevices: 8").fsdp, true);
    }

    // The batch of a device, under both of its names.
    void huggingFaceArguments() {
        const auto launch = read(LaunchKind::Script,
            "torchrun --nproc_per_node=8 train.py --model_name_or_path /models/Llama-3-8B/ "
            "--per_device_train_batch_size 2 --train_batch_size 2 --fsdp \"full_shard auto_wrap\"");
        QCOMPARE(launch.model, std::string("Llama-3-8B"));
        QCOMPARE(launch.microBatch, 2);
        QVERIFY(!launch.globalBatch);
        QCOMPARE(launch.fsdp, true);
    }

    // Variables of a script go behind its arguments; logs assign none.
    void variables() {
        const char* const text = "# of the job\nexport TP_SIZE=4\nPP=$((TP_SIZE / 2))\n"
                                 "MICRO_BATCH_SIZE=2\nSEQ_LEN=4096\nNNODES=${SLURM_NNODES}\n";
        const auto launch = read(LaunchKind::Environment, text);
        QCOMPARE(launch.tensorParallel, 4);
        QCOMPARE(launch.pipelineParallel, 2);
        QCOMPARE(launch.microBatch, 2);
        QCOMPARE(launch.sequenceLength, 4096);
        QVERIFY(!launch.nodes);
        const std::string script = std::string(text) + "python t.py --micro-batch-size 8\n";
        QCOMPARE(read(LaunchKind::Script, script).microBatch, 8);
        QVERIFY(!readLaunch(LaunchKind::Text, text, "x").hasValue());
        QVERIFY(launchKindOf("run/.env") == LaunchKind::Environment);
        QVERIFY(launchKindOf("job.env") == LaunchKind::Environment);
    }

    void printedNamespace() {
        const auto launch = read(LaunchKind::Text,
            "INFO Namespace(betas=(0.9, 0.95), micro_batch_size=4, bf16=True, "
            "names=['a', 'b'], seq_length=4096, optimizer='adam')\nmore=1\n");
        QCOMPARE(launch.microBatch, 4);
        QCOMPARE(launch.precision, std::string("bf16"));
        QCOMPARE(launch.sequenceLength, 4096);
        QCOMPARE(launch.optimizer, std::string("adam"));
    }

    void theBatchFromItsFactors() {
        const auto launch = read(LaunchKind::Text,
            "  data_parallel_size .... 4\n  gradient_accumulation_steps .... 8\n"
            "  micro_batch_size .... 2\n");
        QCOMPARE(launch.globalBatch, 64);
    }

    void huggingFace() {
        const auto launch = read(LaunchKind::Json, R"({"architectures": ["MixtralForCausalLM"],
            "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
            "max_position_embeddings": 32768, "num_attention_heads": 32, "num_experts_per_tok": 2,
            "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
            "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 32000})");
        LaunchConfig expected;
        expected.layers = 32;
        expected.hiddenSize = 4096;
        expected.attentionHeads = 32;
        expected.kvHeads = 8;
        expected.ffnSize = 14336;
        expected.gatedMlp = true;
        expected.experts = 8;
        expected.expertsPerToken = 2;
        expected.tiedEmbeddings = false;
        expected.vocabulary = 32000;
        expected.precision = "bfloat16";
        expected.origin = "x";
        QVERIFY(launch == expected); // the longest possible sequence is not the sequence's length
    }

    // With embedding and loss as a layer each, all pieces are equal: 7 + 1 are 4 + 4 and 10 + 2 are
    // 4 pieces of 3, of which the first has an embedding less, and the last a loss.
    void embeddingAndLossCountAsLayers() {
        const auto layersOf = [](const std::string& arguments) {
            const LaunchConfig launch = read(LaunchKind::Text,
                "--tensor-model-parallel-size 1 --pipeline-model-parallel-size 2 " + arguments);
            return launch.stageLayers.value_or("equal");
        };
        const std::string embedding = " --account-for-embedding-in-pipeline-split";
        const std::string loss = " --account-for-loss-in-pipeline-split";
        QCOMPARE(layersOf("--num-layers 7" + embedding), std::string("3,4"));
        QCOMPARE(layersOf("--num-layers 7" + loss), std::string("4,3"));
        QCOMPARE(layersOf("--num-layers 6" + embedding + loss), std::string("3,3"));
        QCOMPARE(layersOf("--num-layers 8"), std::string("equal"));
        QCOMPARE(layersOf("--num-layers 8" + embedding), std::string("equal")); // 9 are not even
        QCOMPARE(
            layersOf("--virtual-pipeline-model-parallel-size 2 --num-layers 10" + embedding + loss),
            std::string("2,3,3,2"));
    }

    void whatIsNone() {
        QVERIFY(!readLaunch(LaunchKind::Text, "#SBATCH --nodes=4\nsrun hostname", "x").hasValue());
        QVERIFY(!readLaunch(LaunchKind::Json, R"({"nodes": 4})", "x").hasValue());
        for (const char* text : {"", "[1]", "{", "{\"a\":", "\xff\xfe"})
            QVERIFY2(!readLaunch(LaunchKind::Json, text, "x").hasValue(), text);
    }

    void endings() {
        QVERIFY(launchKindOf("a/b.YAML") == LaunchKind::Yaml);
        QVERIFY(launchKindOf("a/ds_config_zero3.json") == LaunchKind::Json);
        QVERIFY(launchKindOf("config.json") == LaunchKind::Json);
        QVERIFY(!launchKindOf("rank0.pt.trace.json"));
        QVERIFY(launchKindOf("train.sh") == LaunchKind::Script);
        QVERIFY(!launchKindOf("gpu_power_0.csv"));
    }

    void realLogs() {
        struct Truth {
            const char* file;
            int tensor, pipeline, data, micro, global, layers, hidden, heads, vocabulary;
        };
        for (const Truth& truth :
            {Truth{"neox_small.out", 2, 4, 2, 3, 12, 5, 256, 4, 50304},
                Truth{
                    "megatron_deepspeed_gpt3_0.125B_moe.log", 1, 1, 8, 4, 256, 12, 768, 12, 50304},
                Truth{"gpt-neox_GPT20B_perlmutter_8_4_4.log", 4, 8, 4, 4, 256, 44, 6144, 64, 50688},
                Truth{"gpt-neox_70M_slurm.out", 1, 1, 8, 64, 512, 6, 512, 8, 50304}}) {
            std::ifstream file(
                test::standIns() + "/data/train_logs/" + truth.file, std::ios::binary);
            if (!file)
                file.open(test::realFiles() + "/data/train_logs/" + truth.file, std::ios::binary);
            if (!file)
                QSKIP("SKIPPED: the logs are not there");
            const std::string text{
                std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
            const LaunchConfig launch = read(LaunchKind::Text, text);
            const std::vector<std::pair<std::optional<int>, int>> pairs{
                {launch.tensorParallel, truth.tensor}, {launch.pipelineParallel, truth.pipeline},
                {launch.dataParallel, truth.data}, {launch.microBatch, truth.micro},
                {launch.globalBatch, truth.global}, {launch.layers, truth.layers},
                {launch.hiddenSize, truth.hidden}, {launch.attentionHeads, truth.heads},
                {launch.vocabulary, truth.vocabulary}, {launch.sequenceLength, 2048}};
            for (std::size_t i = 0; i < pairs.size(); ++i)
                QVERIFY2(pairs[i].first == pairs[i].second,
                    (std::string(truth.file) + " " + std::to_string(i) + ": "
                        + std::to_string(pairs[i].first.value_or(-1)))
                        .c_str());
            QCOMPARE(launch.precision.value_or(""), std::string("fp16"));
        }
    }

    void keptTypes() {
        const auto precision = [](const std::string& text) {
            return read(LaunchKind::Text,
                "torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 " + text + "\n")
                .precision.value_or("");
        };
        QCOMPARE(precision("--bf16"), std::string("bf16"));
        QCOMPARE(precision("--bf16 --use-precision-aware-optimizer --main-grads-dtype bf16 "
                           "--main-params-dtype fp16 --exp-avg-dtype bf16"),
            std::string("bf16,gradients=bf16,states=bf16,master=fp16"));
        // Without that optimizer Megatron-LM does not heed them.
        QCOMPARE(precision("--bf16 --exp-avg-dtype bf16"), std::string("bf16"));
        QCOMPARE(precision("--pure-bf16 True"), std::string("bf16-pure"));
    }

    // Every published configuration of the CharLLM-PPT experiments, written as the YAML its
    // launcher takes, gives the layout, batch, model and workload of its row.
    void everyRow() {
        for (const test::Experiments& experiments : test::allExperiments())
            compareRows(experiments);
        if (test::allExperiments().size() < 2)
            QSKIP("SKIPPED: the table of experiments is not there");
    }

private:
    static void compareRows(const test::Experiments& experiments) {
        const auto rows = test::readExperiments(experiments.root);
        QCOMPARE(rows.size(), experiments.count);
        for (const Row& row : rows) {
            const auto launch = readLaunch(LaunchKind::Yaml, yamlOf(row), "x.yaml");
            QVERIFY(launch.hasValue());
            const LaunchConfig expected = expectedOf(row);
            forEachLaunchField([&](const char* name, auto member) {
                QVERIFY2(launch.value().*member == expected.*member,
                    (row["yaml_path"] + ": " + name).c_str());
            });
            QVERIFY(launch.value() == expected);
        }
    }
};

TRAINSCOPE_TEST(tst_Arguments)
#include "tst_Arguments.moc"
