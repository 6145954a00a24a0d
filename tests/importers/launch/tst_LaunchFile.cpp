// Facts that are read from a launch YAML, and facts that are left out rather than guessed.

#include "importers/launch/LaunchFile.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
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
        QTest::addColumn<std::string>("text");
        QTest::newRow("other program's")
            << std::string("[project]\nname = \"x\"\nversion = \"1\"\n");
        QTest::newRow("broken") << std::string("[training\nsteps = = 3\n");
        QTest::newRow("deep brackets") << "a = " + std::string(100'000, '[');
        std::string dots = "a";
        for (int i = 0; i < 100'000; ++i)
            dots += ".a";
        QTest::newRow("deep key") << dots + " = 1\n";
        QTest::newRow("large") << "a = \"" + std::string(std::size_t{300} << 10, 'x') + "\"\n";
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
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<int>("expected");
        QTest::newRow("number") << QByteArray("8") << 8;
        QTest::newRow("quoted") << QByteArray("'4'") << 4;
        QTest::newRow("list") << QByteArray("[0, 1, 2]") << 3;
        QTest::newRow("text list") << QByteArray("'0,1'") << 2;
        QTest::newRow("all") << QByteArray("-1") << 0;
        QTest::newRow("auto") << QByteArray("auto") << 0;
        QTest::newRow("zero") << QByteArray("0") << 0;
        QTest::newRow("fraction") << QByteArray("1.5") << 0;
        QTest::newRow("plain reference") << QByteArray("${n.gpus}") << 6;
        QTest::newRow("reference to nothing") << QByteArray("${n.none}") << 0;
        QTest::newRow("environment") << QByteArray("${oc.env:GPUS,8}") << 0;
        QTest::newRow("computed") << QByteArray("${multiply:${n.gpus}, 2}") << 0;
        QTest::newRow("circle") << QByteArray("${trainer.devices}") << 0;
        QTest::newRow("missing") << QByteArray("???") << 0;
    }
    void devices() {
        QFETCH(QByteArray, value);
        QFETCH(int, expected);
        const std::string text
            = "n: {gpus: 6}\ntrainer:\n  num_nodes: 1\n  devices: " + value.toStdString() + "\n";
        QCOMPARE(read(text).gpusPerNode.value_or(0), expected);
    }

    void recomputation_data() {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("expected"); // -1: not said
        QTest::newRow("nothing") << QByteArray("num_layers: 2") << -1;
        QTest::newRow("null") << QByteArray("activations_checkpoint_granularity: null") << 0;
        QTest::newRow("selective")
            << QByteArray("activations_checkpoint_granularity: selective") << 1;
        QTest::newRow("no layers") << QByteArray(
            "activations_checkpoint_granularity: full\n  activations_checkpoint_method: block\n  "
            "activations_checkpoint_num_layers: 0")
                                   << 0;
        QTest::newRow("method only") << QByteArray("activations_checkpoint_method: uniform") << 1;
        QTest::newRow("megatron") << QByteArray("recompute_granularity: full") << 1;
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
        QTest::addColumn<std::string>("text");
        const auto repeated = [](const std::string& piece, int times) {
            std::string text;
            for (int i = 0; i < times; ++i)
                text += piece;
            return text;
        };
        QTest::newRow("empty") << std::string();
        QTest::newRow("other yaml") << std::string("kind: Pod\nspec: {containers: []}\n");
        QTest::newRow("text") << std::string("hello world");
        QTest::newRow("broken") << std::string("trainer: {devices: [8\n  num_nodes: 4");
        QTest::newRow("tabs") << std::string("trainer:\n\tdevices: 8\n");
        QTest::newRow("binary") << std::string("\xff\xd8\xff\xe0\x00\x10JFIF", 10);
        QTest::newRow("comma for ever") << std::string(",\xff\xffn");
        QTest::newRow("flow nesting") << repeated("[", 100000);
        QTest::newRow("map nesting") << repeated("{a: ", 100000);
        QTest::newRow("dash nesting") << repeated("- ", 100000);
        QTest::newRow("question nesting") << repeated("? ", 100000);
        QTest::newRow("too large") << std::string(5 << 20, 'a');
        std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
        for (int i = 1; i < 60; ++i) {
            const std::string before = "*a" + std::to_string(i - 1);
            bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " ["
                + repeated(before + ", ", 8) + before + "]\n";
        }
        QTest::newRow("alias bomb") << bomb;
    }
    void bad() {
        QFETCH(std::string, text);
        const auto config = readLaunch(LaunchKind::Yaml, text, "dir/x.yaml");
        QVERIFY(!config.hasValue());
        QVERIFY(config.error().code == ErrorCode::Unrecognised);
        QCOMPARE(config.error().where, std::string("dir/x.yaml"));
        QVERIFY(!config.error().message.empty());
    }
};

TRAINSCOPE_TEST(tst_LaunchFile)
#include "tst_LaunchFile.moc"
