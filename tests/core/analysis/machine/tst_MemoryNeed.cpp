// What model and layout need of a GPU's memory: by hand, against published figures, and over the
// published experiments that ran.

#include <QtTest>

#include "core/analysis/machine/MemoryNeed.h"
#include "core/layout/LayoutRequest.h"
#include "support/PublishedExperiments.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

using Row = test::ExperimentRow;

layout::Layout layoutOf(const LaunchConfig& launch) {
    auto made = layout::makeLayout(layout::layoutFromLaunch(launch, std::nullopt).value());
    if (!made.hasValue())
        qFatal("%s", made.error().message.c_str());
    return std::move(made).value();
}

MemoryNeed needOf(const LaunchConfig& launch, std::optional<double> capacity = {}) {
    const auto need = memoryNeedOf(launch, layoutOf(launch), 0, capacity);
    if (!need)
        qFatal("no need");
    return *need;
}

// h = 1000, 10 layers, 10 heads, a batch of 8 samples of 100 tokens.
LaunchConfig small() {
    LaunchConfig launch;
    launch.nodes = 1;
    launch.gpusPerNode = 1;
    launch.precision = "bf16";
    launch.workload = Workload::Training;
    launch.layers = 10;
    launch.hiddenSize = 1000;
    launch.attentionHeads = 10;
    launch.ffnSize = 4000;
    launch.gatedMlp = false;
    launch.tiedEmbeddings = true;
    launch.vocabulary = 500;
    launch.sequenceLength = 100;
    launch.microBatch = 1;
    launch.globalBatch = 8;
    return launch;
}

bool isAbout(double value, double expected, double within) {
    if (std::abs(value / expected - 1.0) <= within)
        return true;
    qWarning("%g instead of %g", value, expected);
    return false;
}

LaunchConfig launchOf(const Row& row) {
    const auto number = [&row](const char* key) {
        return row[key].empty() ? std::nullopt : std::optional(std::stoi(row[key]));
    };
    LaunchConfig launch;
    launch.model = row["model"];
    launch.precision = row["precision"];
    launch.nodes = number("nodes");
    launch.gpusPerNode = number("gpus_per_node");
    launch.tensorParallel = number("TP");
    launch.pipelineParallel = number("PP");
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
    launch.gatedMlp = !row["model"].starts_with("gpt3");
    launch.experts = number("num_experts");
    launch.expertsPerToken = number("moe_topk");
    if (row["FSDP"] == "True")
        launch.fsdp = true;
    launch.sequenceParallel = row["sequence_parallel"] == "True";
    launch.recompute = row["recompute"] == "True";
    launch.optimizer = row["optimizer"];
    launch.workload = row["sweep"] == "inference" ? Workload::Inference
        : row["sweep"] == "lora"                  ? Workload::Lora
                                                  : Workload::Training;
    return launch;
}

} // namespace

class tst_MemoryNeed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 12 h² and 2 h of norms a layer, a table of 500 · 1000; 18 B each. 34 h a token and layer, and
    // 6 B for each word of the vocabulary.
    void byHand() {
        const MemoryNeed need = needOf(small());
        const double parameters = 10 * (12e6 + 2e3) + 500e3;
        QVERIFY(isAbout(need.states, 18.0 * parameters, 1e-12));
        QVERIFY(isAbout(need.perSample, 10 * 34.0 * 1000 * 100 + 6.0 * 100 * 500, 1e-12));
        QVERIFY(isAbout(need.perLayer, 18.0 * (12e6 + 2e3) + 34.0 * 1000 * 100, 1e-12));
        LaunchConfig recomputed = small();
        recomputed.recompute = true;
        QVERIFY(isAbout(needOf(recomputed).perSample,
            10 * 2.0 * 1000 * 100 + 34.0 * 1000 * 100 + 6.0 * 100 * 500, 1e-12));
        recomputed.recomputeGranularity = "selective";
        QCOMPARE(needOf(recomputed).perSample, need.perSample);
    }

    // With t = 4: 24/4 within tensor parallelism and 10 outside, 34/4 with sequence parallelism.
    void tensorAndSequenceParallel() {
        LaunchConfig launch = small();
        launch.gpusPerNode = 4;
        launch.tensorParallel = 4;
        launch.sequenceParallel = false;
        const double logits = 6.0 * 100 * 500 / 4;
        QVERIFY(isAbout(needOf(launch).perSample, 10 * 16.0 * 1000 * 100 + logits, 1e-12));
        launch.sequenceParallel = true;
        QVERIFY(isAbout(needOf(launch).perSample, 10 * 8.5 * 1000 * 100 + logits, 1e-12));
        QVERIFY(isAbout(needOf(launch).states, 18.0 * (10 * (12e6 + 2e3) + 500e3) / 4, 1e-12));
    }

    // A pipeline of four stages holds 4, 3, 2, 1 micro-batches, and 2 where a step has no more.
    void pipelines() {
        LaunchConfig launch = small();
        launch.gpusPerNode = 2;
        launch.pipelineParallel = 2;
        const layout::Layout layout = layoutOf(launch);
        const double each = 5 * 34.0 * 1000 * 100;
        QVERIFY(isAbout(memoryNeedOf(launch, layout, 0)->perSample, 2 * each, 1e-12));
        QVERIFY(isAbout(memoryNeedOf(launch, layout, 1)->perSample, each, 1e-12));
        launch.globalBatch = 1;
        QVERIFY(isAbout(needOf(launch).perSample, each, 1e-12));
        launch.globalBatch = 8;
        launch.virtualPipeline = 5; // 1 + 1/(2·5) times
        QVERIFY(isAbout(needOf(launch).perSample, 2 * 1.1 * each, 1e-12));
    }

    void shardedStates() {
        LaunchConfig launch = small();
        launch.gpusPerNode = 4;
        const double parameters = 10 * (12e6 + 2e3) + 500e3;
        const auto perParameter = [&] { return needOf(launch).states / parameters; };
        QVERIFY(isAbout(perParameter(), 18.0, 1e-12));
        const std::array<double, 4> expected{18.0, 6.0 + 3.0, 2.0 + 4.0, 4.5};
        for (int stage = 0; stage < 4; ++stage) {
            launch.zeroStage = stage;
            QVERIFY(isAbout(perParameter(), expected[static_cast<std::size_t>(stage)], 1e-12));
        }
        launch.zeroStage.reset();
        launch.optimizer = "distributed_fused_adam";
        QVERIFY(isAbout(perParameter(), 9.0, 1e-12));
        launch.workload = Workload::Lora;
        QVERIFY(isAbout(perParameter(), 2.0, 1e-12));
    }

    // 8 experts over 4 ranks: two of them on each, and a fourth of their gradients' ranks.
    void experts() {
        LaunchConfig launch = small();
        launch.gpusPerNode = 4;
        launch.experts = 8;
        launch.expertsPerToken = 2;
        launch.expertParallel = 4;
        const double expert = 8e6;
        const double dense = 10 * (4e6 + 2e3 + 8e3) + 500e3; // attention, norms, router
        QVERIFY(isAbout(needOf(launch).states, 18.0 * (dense + 10 * 2 * expert), 1e-12));
        // Outside of the MLP 8 h + 8 h; each of two experts takes 4 h in and out and 16 h within.
        QVERIFY(isAbout(needOf(launch).perSample,
            10 * (16.0 + 2 * 20.0) * 1000 * 100 + 6.0 * 100 * 500, 1e-12));
    }

    // What does not fit though it ran, and is not stated, is taken to be sharded or recomputed.
    void whatIsNotStated() {
        LaunchConfig launch = small();
        launch.gpusPerNode = 4;
        const double stated = needOf(launch).total(1.0);
        const MemoryNeed sharded = needOf(launch, 0.6 * stated);
        QVERIFY(sharded.takesShardedOptimizer && !sharded.takesRecomputation);
        QVERIFY(isAbout(sharded.states, 0.5 * needOf(launch).states, 1e-12));
        launch.optimizer = "adam";
        launch.recompute = false;
        const MemoryNeed none = needOf(launch, 0.6 * stated);
        QVERIFY(!none.takesShardedOptimizer && !none.takesRecomputation);
        QCOMPARE(none.total(1.0), stated);
    }

    // Table 2 and figure 1 of Korthikanti et al. 2022: 175B, 8-way tensor, 8-way pipeline parallel,
    // micro-batch 1, sequence parallel: states of 18 B a parameter, and activations of all layers.
    void korthikanti() {
        LaunchConfig launch;
        launch.model = "gpt3-175b";
        launch.precision = "bf16";
        launch.nodes = 8;
        launch.gpusPerNode = 8;
        launch.tensorParallel = 8;
        launch.pipelineParallel = 8;
        launch.sequenceParallel = true;
        launch.sequenceLength = 2048;
        launch.microBatch = 1;
        launch.globalBatch = 64;
        const MemoryNeed need = needOf(launch);
        QVERIFY(isAbout(need.states, 18.0 * 175e9 / 64, 0.03));
        // L layers' worth of activations on the first stage: s·b·h·L·34/t.
        QVERIFY(isAbout(need.perSample, 2048.0 * 12288 * 96 * 34 / 8, 1e-9));
    }

    // Every published pre-training run with recomputation ran; those without did so where TP is
    // wide. Inference and adapters need no more than what was tried with them.
    void publishedExperiments() {
        for (const test::Experiments& experiments : test::allExperiments())
            compareWithGpus(experiments);
        if (test::allExperiments().size() < 2)
            QSKIP("The published experiments are not there.");
    }

private:
    static void compareWithGpus(const test::Experiments& experiments) {
        auto rows = test::readExperiments(experiments.root);
        QCOMPARE(rows.size(), experiments.count);
        int ran = 0;
        int exceeding = 0;
        for (Row& row : rows) {
            LaunchConfig launch = launchOf(row);
            if (!experiments.areReal())
                launch.vocabulary = 50304; // models that no catalogue knows
            auto layout
                = layout::makeLayout(layout::layoutFromLaunch(launch, std::nullopt).value());
            if (!layout.hasValue())
                continue;
            const auto need = memoryNeedOf(launch, layout.value());
            QVERIFY(need.has_value());
            const double capacity = row["gpu_constraint"] == "H200" ? 143771.0 : 81559.0;
            const bool isOver = need->total(*launch.microBatch) > capacity * 1048576.0;
            exceeding += isOver ? 1 : 0;
            if (row["recompute"] != "True" || launch.workload != Workload::Training)
                continue;
            ++ran;
            QVERIFY2(!isOver,
                (row["yaml_path"] + " needs "
                    + std::to_string(need->total(*launch.microBatch) * 1e-9) + " GB")
                    .c_str());
        }
        if (!experiments.areReal()) {
            QCOMPARE(ran, 2); // with recomputation; small models fit anywhere
            QCOMPARE(exceeding, 0);
            return;
        }
        QVERIFY(ran > 100);
        qInfo("%d of 386 configurations exceed their GPUs", exceeding);
        QVERIFY(exceeding < 90);
    }
};

TRAINSCOPE_TEST(tst_MemoryNeed)
#include "tst_MemoryNeed.moc"
