// Every published configuration of the CharLLM-PPT experiments, written as the YAML its launcher
// takes, gives the layout, batch, model and workload of its row.

#include <QtTest>

#include "core/model/LaunchConfig.h"
#include "importers/launch/LaunchFile.h"
#include "support/PublishedExperiments.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

using namespace trainscope;
using namespace trainscope::importers::launch;

namespace {

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

class tst_Experiments : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_Experiments)
#include "tst_Experiments.moc"
