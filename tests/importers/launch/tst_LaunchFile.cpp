// Facts that are read from a launch YAML, and facts that are left out rather than guessed.

#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace trainscope::importers::launch;

namespace {

const std::string kNemo = R"(defaults:
  - _self_
name: megatron_gpt
trainer:
  devices: 8
  num_nodes: 4
  precision: bf16
  max_steps: 11
model:
  micro_batch_size: 1
  global_batch_size: 128
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 16
  virtual_pipeline_model_parallel_size: null
  encoder_seq_length: 2048
  max_position_embeddings: ${.encoder_seq_length}
  num_layers: 96
  hidden_size: 12288
  ffn_hidden_size: ${multiply:4, ${.hidden_size}}
  activations_checkpoint_granularity: full
  activations_checkpoint_method: block
  activations_checkpoint_num_layers: 6
  ub_tp_comm_overlap: false
  optim:
    name: fused_adam
    overlap_grad_sync: true
    overlap_param_sync: true
)";

LaunchConfig read(const std::string& text) {
    const auto config = readLaunch(LaunchKind::Yaml, text, "x.yaml");
    return config.hasValue() ? config.value() : LaunchConfig{};
}

using Files = std::vector<std::pair<std::string, std::string>>;

std::string yamlOf(int devices) {
    return "trainer: {devices: " + std::to_string(devices) + "}\n";
}

LaunchMatch matchOf(
    const SourceTree& tree, const std::string& folder, const std::string& run = "run") {
    RunsByPlace places;
    const RunFolders runs(tree);
    for (const std::string& one : runs.telemetryFolders())
        places[one].insert(one == folder ? run : one);
    return LaunchFiles(tree, std::move(places)).find(folder, run);
}

std::string found(const Files& files, const std::string& runFolder) {
    const auto tree = memoryTree(files);
    const LaunchMatch match = matchOf(*tree, runFolder);
    if (match.paths.empty())
        return match.note.empty() ? "none" : "none, noted";
    std::string all;
    for (const std::string& path : match.paths)
        all += (all.empty() ? "" : " ") + path;
    return all;
}

} // namespace

class tst_LaunchFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nemo() {
        LaunchConfig expected;
        expected.precision = "bf16";
        expected.nodes = 4;
        expected.gpusPerNode = 8;
        expected.tensorParallel = 2;
        expected.pipelineParallel = 16;
        expected.dataParallel = 1; // 4 × 8 / (2 × 16)
        expected.microBatch = 1;
        expected.globalBatch = 128;
        expected.sequenceLength = 2048;
        expected.layers = 96;
        expected.hiddenSize = 12288;
        expected.recompute = true;
        expected.overlap = true;
        expected.workload = Workload::Training;
        expected.gradientAccumulation = 128; // 128 / (1 × 1)
        expected.recomputeGranularity = "full";
        expected.optimizer = "fused_adam";
        expected.maxSteps = 11;
        expected.origin = "x.yaml";
        QVERIFY(read(kNemo) == expected);
    }

    // As torchtitan's train_configs/llama3_8b.toml has it since 2025, on 16 GPUs.
    void torchtitan() {
        const std::string text = R"([job]
dump_folder = "./outputs"  # relative
[model]
name = "llama3"
flavor = "8B"
converters = ["float8"]
[optimizer]
name = "AdamW"
lr = 3e-4
[training]
local_batch_size = 2
seq_len = 8192
steps = 1_000
mixed_precision_param = "bfloat16"
[parallelism]
data_parallel_replicate_degree = 2
data_parallel_shard_degree = 4
tensor_parallel_degree = 2
pipeline_parallel_degree = 1
context_parallel_degree = 1
[activation_checkpoint]
mode = "selective"  # ["none", "selective", "full"]
selective_ac_option = 'op'
)";
        const auto config = readLaunch(LaunchKind::Toml, text, "job_config.toml");
        LaunchConfig expected;
        expected.model = "llama3-8B";
        expected.precision = "fp8";
        expected.tensorParallel = 2;
        expected.pipelineParallel = 1;
        expected.contextParallel = 1;
        expected.dataParallel = 8; // 2 × 4
        expected.shardGroup = 4;
        expected.fsdp = true;
        expected.microBatch = 2;
        expected.globalBatch = 16; // 2 × 8
        expected.gradientAccumulation = 1;
        expected.sequenceLength = 8192;
        expected.recompute = true;
        expected.recomputeGranularity = "selective";
        expected.workload = Workload::Training;
        expected.optimizer = "AdamW";
        expected.maxSteps = 1000;
        expected.origin = "job_config.toml";
        QVERIFY2(config.hasValue(), config.hasValue() ? "" : config.error().message.c_str());
        QVERIFY(config.value() == expected);
    }
    // The form of 2024: degrees in [training] and [experimental], all GPUs that are left in shards.
    void torchtitanOf2024() {
        const auto config = readLaunch(LaunchKind::Toml, R"(
model = {name = "llama3", flavor = "70B"}
[training]
batch_size = 8
seq_len = 4096
steps = 10
data_parallel_replicate_degree = 1
data_parallel_shard_degree = -1
tensor_parallel_degree = 4
mixed_precision_param = "bfloat16"
[experimental]
pipeline_parallel_degree = 2
[activation_checkpoint]
mode = "none"
)",
            "x.toml")
                                .valueOr(LaunchConfig{});
        QCOMPARE(config.model, std::optional<std::string>("llama3-70B"));
        QCOMPARE(config.precision, std::optional<std::string>("bf16"));
        QCOMPARE(config.tensorParallel, std::optional(4));
        QCOMPARE(config.pipelineParallel, std::optional(2));
        QVERIFY(!config.dataParallel && !config.globalBatch); // -1 needs the number of GPUs
        QVERIFY(!config.microBatch); // the stages cut the batch of a rank, nobody says how
        QCOMPARE(config.fsdp, std::optional(true));
        QCOMPARE(config.recompute, std::optional(false));
    }
    void tomlThatIsNone_data() {
        const auto row = test::columns<std::string>("text");
        row("other program's", "[project]\nname = \"x\"\nversion = \"1\"\n");
        row("broken", "[training\nsteps = = 3\n");
        row("deep brackets", "a = " + std::string(100'000, '['));
        std::string dots = "a";
        for (int i = 0; i < 100'000; ++i)
            dots += ".a";
        row("deep key", dots + " = 1\n");
        row("large", "a = \"" + std::string(std::size_t{300} << 10, 'x') + "\"\n");
    }
    void tomlThatIsNone() {
        QFETCH(std::string, text);
        const auto config = readLaunch(LaunchKind::Toml, text, "x.toml");
        QVERIFY(!config.hasValue());
        QCOMPARE(config.error().code, ErrorCode::Unrecognised);
    }

    void nestedUnderCfg() {
        const LaunchConfig config = read("cfg:\n  tensor_model_parallel_size: 4\n  trainer:\n    "
                                         "devices: 4\n  hidden_size: 64\n");
        QCOMPARE(config.tensorParallel.value_or(0), 4);
        QCOMPARE(config.gpusPerNode.value_or(0), 4);
        QCOMPARE(config.hiddenSize.value_or(0), 64);
    }

    void devices_data() {
        const auto row = test::columns<QByteArray, int>("value", "expected");
        row("number", "8", 8);
        row("quoted", "'4'", 4);
        row("list", "[0, 1, 2]", 3);
        row("text list", "'0,1'", 2);
        row("all", "-1", 0);
        row("auto", "auto", 0);
        row("zero", "0", 0);
        row("fraction", "1.5", 0);
        row("plain reference", "${n.gpus}", 6);
        row("reference to nothing", "${n.none}", 0);
        row("environment", "${oc.env:GPUS,8}", 0);
        row("computed", "${multiply:${n.gpus}, 2}", 0);
        row("circle", "${trainer.devices}", 0);
        row("missing", "???", 0);
    }
    void devices() {
        QFETCH(QByteArray, value);
        QFETCH(int, expected);
        const std::string text
            = "n: {gpus: 6}\ntrainer:\n  num_nodes: 1\n  devices: " + value.toStdString() + "\n";
        QCOMPARE(read(text).gpusPerNode.value_or(0), expected);
    }

    void recomputation_data() {
        // expected: -1: not said
        const auto row = test::columns<QByteArray, int>("model", "expected");
        row("nothing", "num_layers: 2", -1);
        row("null", "activations_checkpoint_granularity: null", 0);
        row("selective", "activations_checkpoint_granularity: selective", 1);
        row("no layers",
            "activations_checkpoint_granularity: full\n  activations_checkpoint_method: block\n  "
            "activations_checkpoint_num_layers: 0",
            0);
        row("method only", "activations_checkpoint_method: uniform", 1);
        row("megatron", "recompute_granularity: full", 1);
    }
    void recomputation() {
        QFETCH(QByteArray, model);
        QFETCH(int, expected);
        const auto found
            = read("model:\n  hidden_size: 8\n  " + model.toStdString() + "\n").recompute;
        QCOMPARE(found ? int{*found} : -1, expected);
    }

    void overlapOnlyWhenSaid() {
        QVERIFY(!read("model: {hidden_size: 8}").overlap.has_value());
        QVERIFY(!read("model: {ub_tp_comm_overlap: false}").overlap.value_or(true));
        QVERIFY(read("model: {ub_tp_comm_overlap: True}").overlap.value_or(false));
    }

    void anchorsAndFlatKeys() {
        QCOMPARE(
            read("a: &n 4\nmodel:\n  tensor_model_parallel_size: *n\n").tensorParallel.value_or(0),
            4);
        QCOMPARE(read("tensor-model-parallel-size: 2\n").tensorParallel.value_or(0), 2);
        QCOMPARE(read("model.hidden_size: 12\n").hiddenSize.value_or(0), 12);
        QCOMPARE(read("---\n---\nmodel: {hidden_size: 12}\n").hiddenSize.value_or(0), 12);
    }

    void keysThatAreMapsDoNotMislead() {
        const LaunchConfig config = read("model:\n  hidden_size: 8\n  ? {hidden_size: 9}\n  : "
                                         "{hidden_size: 10}\n  num_layers: 3\n");
        QCOMPARE(config.hiddenSize.value_or(0), 8);
        QCOMPARE(config.layers.value_or(0), 3);
    }

    void layoutThatDoesNotDivideHasNoDataDegree() {
        const std::string text
            = "trainer: {devices: 8, num_nodes: 1}\nmodel: {tensor_model_parallel_size: 3, "
              "pipeline_model_parallel_size: 1}\n";
        QVERIFY(!read(text).dataParallel.has_value());
    }

    void bad_data() {
        const auto row = test::columns<std::string>("text");
        const auto repeated = [](const std::string& piece, int times) {
            std::string text;
            for (int i = 0; i < times; ++i)
                text += piece;
            return text;
        };
        row("empty", std::string());
        row("other yaml", "kind: Pod\nspec: {containers: []}\n");
        row("text", "hello world");
        row("broken", "trainer: {devices: [8\n  num_nodes: 4");
        row("tabs", "trainer:\n\tdevices: 8\n");
        row("binary", std::string("\xff\xd8\xff\xe0\x00\x10JFIF", 10));
        row("comma for ever", ",\xff\xffn");
        row("flow nesting", repeated("[", 100000));
        row("map nesting", repeated("{a: ", 100000));
        row("dash nesting", repeated("- ", 100000));
        row("question nesting", repeated("? ", 100000));
        row("too large", std::string(5 << 20, 'a'));
        std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 60; ++i) {
            const std::string before = "*a" + std::to_string(i - 1);
            bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " ["
                + repeated(before + ", ", 8) + before + "]\n";
        }
        row("alias bomb", bomb);
    }
    void bad() {
        QFETCH(std::string, text);
        const auto config = readLaunch(LaunchKind::Yaml, text, "dir/x.yaml");
        QVERIFY(!config.hasValue());
        QVERIFY(config.error().code == ErrorCode::Unrecognised);
        QCOMPARE(config.error().where, std::string("dir/x.yaml"));
        QVERIFY(!config.error().message.empty());
    }

    // Run folders and the YAML files that go with them.
    void match_data() {
        const auto row = test::columns<Files, std::string, std::string>("files", "run", "expected");
        const std::string run = "results/sweep-h200/gpt3/gpt3_1_00000";
        const std::string yaml = yamlOf(8);
        row("nothing", Files{{run + "/gpu_power_0.csv", ""}}, run, "none");
        row("named, in the run", Files{{run + "/gpt3_1_00000.yaml", yaml}, {run + "/b.yaml", yaml}},
            run, run + "/gpt3_1_00000.yaml");
        row("the only one in the run", Files{{run + "/conf.yml", yaml}}, run, run + "/conf.yml");
        row("two in the run that agree", Files{{run + "/a.yaml", yaml}, {run + "/b.yaml", yaml}},
            run, run + "/a.yaml " + run + "/b.yaml");
        row("two in the run that contradict",
            Files{{run + "/a.yaml", yaml}, {run + "/b.yaml", yamlOf(4)}}, run, "none, noted");
        row("a folder of settings", Files{{run + "/config/train.sh", "--num-layers 4"}}, run,
            run + "/config/train.sh");
        row("hydra", Files{{run + "/.hydra/config.yaml", yaml}, {run + "/.hydra/hydra.yaml", yaml}},
            run, run + "/.hydra/config.yaml");
        row("hparams", Files{{run + "/version_0/hparams.yaml", yaml}}, run,
            run + "/version_0/hparams.yaml");
        row("beside the runs", Files{{"results/sweep-h200/gpt3/gpt3_1_00000.yaml", yaml}}, run,
            "results/sweep-h200/gpt3/gpt3_1_00000.yaml");
        row("beside the scripts",
            Files{{"scripts/sweep-h200/gpt3/main/gpt3_1_00000.yaml", yaml},
                {"scripts/sweep-h200/gpt3/main/gpt3_11_00000.yaml", yamlOf(4)},
                {"scripts/sweep-h100/gpt3/main/gpt3_1_00000.yaml", yamlOf(4)}},
            run, "scripts/sweep-h200/gpt3/main/gpt3_1_00000.yaml");
        row("other GPU", Files{{"scripts/sweep-h100/gpt3/gpt3_1_00000.yaml", yaml}}, run,
            "none, noted");
        row("tie", Files{{"a/gpt3_1_00000.yaml", yaml}, {"b/gpt3_1_00000.yaml", yamlOf(4)}}, run,
            "none, noted");
        row("tie of equals", Files{{"a/gpt3_1_00000.yaml", yaml}, {"b/gpt3_1_00000.yaml", yaml}},
            run, "a/gpt3_1_00000.yaml");
        row("no launch configuration", Files{{run + "/gpt3_1_00000.yaml", "kind: Pod"}}, run,
            "none, noted");
        const std::string args = "--num-layers 4 --micro-batch-size 2";
        row("script beside", Files{{run + "/train.sh", args}}, run, run + "/train.sh");
        row("script and JSON join the YAML",
            Files{{run + "/a.yaml", yaml}, {run + "/train.sh", args},
                {run + "/ds_config.json", R"({"zero_optimization": {"stage": 1}})"}},
            run, run + "/a.yaml " + run + "/train.sh " + run + "/ds_config.json");
        row("scripts that agree",
            Files{{run + "/a.sh", args}, {run + "/b.sh", "--num-layers 4 --seq-length 8"}}, run,
            run + "/a.sh " + run + "/b.sh");
        row("scripts that contradict",
            Files{{run + "/a.sh", args}, {run + "/b.sh", "--num-layers 5"}}, run, "none, noted");
        row("script that states nothing", Files{{run + "/a.sh", "srun hostname"}}, run, "none");
        row("script named like the run",
            Files{{"scripts/gpt3_1_00000.sh", args}, {"scripts/gpt3_2_00000.sh", args}}, run,
            "scripts/gpt3_1_00000.sh");
        row("a YAML goes before a script of that name",
            Files{{"scripts/gpt3_1_00000.sh", args}, {"scripts/gpt3_1_00000.yaml", yaml}}, run,
            "scripts/gpt3_1_00000.yaml");
        row("above the only run",
            Files{{"r/a/gpu_power_0.csv", ""}, {"r/launch.yaml", yaml},
                {"r/ds_config.json", R"({"train_batch_size": 16})"}},
            "r/a", "r/launch.yaml r/ds_config.json");
        row("at the root above the only run",
            Files{{"r/a/gpu_power_0.csv", ""}, {"train.sh", args}}, "r/a", "train.sh");
        row("above several runs",
            Files{
                {"r/a/gpu_power_0.csv", ""}, {"r/b/gpu_power_0.csv", ""}, {"r/launch.yaml", yaml}},
            "r/a", "r/launch.yaml");
        row("another run is closer",
            Files{{"r/lora/gpt3_1_00000/gpu_power_0.csv", ""},
                {"r/tune/gpt3_1_00000/gpu_power_0.csv", ""}, {"s/lora/gpt3_1_00000.yaml", yaml}},
            "r/tune/gpt3_1_00000", "none, noted");
        row("the closer run",
            Files{{"r/lora/gpt3_1_00000/gpu_power_0.csv", ""},
                {"r/tune/gpt3_1_00000/gpu_power_0.csv", ""}, {"s/lora/gpt3_1_00000.yaml", yaml}},
            "r/lora/gpt3_1_00000", "s/lora/gpt3_1_00000.yaml");
    }
    void match() {
        QFETCH(Files, files);
        QFETCH(std::string, run);
        QFETCH(std::string, expected);
        QCOMPARE(found(files, run), expected);
    }

    void whatOneLeavesOpenAnotherFills() {
        const auto tree = memoryTree({{"r/a.yaml", "model: {num_layers: 4}\n"},
            {"r/ds_config.json", R"({"train_batch_size": 16, "num_layers": 5})"}});
        const LaunchMatch match = matchOf(*tree, "r");
        QCOMPARE(match.config.layers.value_or(0), 4);
        QCOMPARE(match.config.globalBatch.value_or(0), 16);
        QCOMPARE(match.config.origin, std::string("r/a.yaml, r/ds_config.json"));
    }

    // Logs say what was in force, and go before scripts.
    void whatIsStatedDifferentlyIsNoted() {
        const auto tree = memoryTree({{"r/launch.sh", "--num-layers 4 --micro-batch-size 2"},
            {"r/cmd-args.log", "train.py --num-layers 4 --micro-batch-size 1"}});
        const LaunchMatch match = matchOf(*tree, "r");
        QCOMPARE(match.config.microBatch.value_or(0), 1);
        QCOMPARE(match.config.origin, std::string("r/cmd-args.log, r/launch.sh"));
        QCOMPARE(match.note,
            std::string("r/launch.sh states another micro batch than r/cmd-args.log, which was "
                        "taken."));
    }

    void scriptsNamedLikeTheRun() {
        const auto tree = memoryTree({{"r/tp4.sh", "--tensor-model-parallel-size 4"},
            {"r/tp8.sh", "--tensor-model-parallel-size 8"}});
        QCOMPARE(matchOf(*tree, "r", "r/tp8").config.tensorParallel.value_or(0), 8);
        QVERIFY(matchOf(*tree, "r", "r/other").paths.empty());
        QVERIFY(!matchOf(*tree, "r", "r/other").note.empty());
        const LaunchFiles files(*tree, {{"r/tp8.sh", {"r/tp8"}}});
        QCOMPARE(files.find("r", "r/other").config.tensorParallel.value_or(0), 4);
    }

    void originIsThePath() {
        const auto tree = memoryTree({{"a/b/c.yaml", yamlOf(8)}});
        const LaunchMatch match = matchOf(*tree, "a/b");
        QCOMPARE(match.config.origin, std::string("a/b/c.yaml"));
        QCOMPARE(match.config.gpusPerNode.value_or(0), 8);
    }
};

TRAINSCOPE_TEST(tst_LaunchFile)
#include "tst_LaunchFile.moc"
