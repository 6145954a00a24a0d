// Memory that runs need of their GPUs: where the configuration is silent, and over the published
// experiments, of which some ran and some cannot have.

#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/layout/LayoutRequest.h"
#include "support/MemoryLaunch.h"
#include "support/PublishedExperiments.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using test::isAbout;
using test::needOf;
using test::requestOf;
using test::smallLaunch;

namespace {

using Row = test::ExperimentRow;

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

class tst_RunMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A run that does not fit though it ran is taken to be sharded or recomputed, unless it says
    // otherwise.
    void whatIsNotStated() {
        LaunchConfig launch = smallLaunch();
        launch.gpusPerNode = 4;
        const double stated = needOf(launch).total(1.0);
        const double capacity = needOf(launch).buffers + 0.6 * (stated - needOf(launch).buffers);
        const MemoryNeed sharded = needOf(launch, capacity);
        QVERIFY(sharded.takesShardedOptimizer && !sharded.takesRecomputation);
        QVERIFY(isAbout(sharded.states, 0.5 * needOf(launch).states, 1e-12));
        launch.optimizer = "adam";
        launch.recompute = false;
        const MemoryNeed none = needOf(launch, capacity);
        QVERIFY(!none.takesShardedOptimizer && !none.takesRecomputation);
        QCOMPARE(none.total(1.0), stated);
    }

    // Every published pre-training run with recomputation ran; those without did so where TP is
    // wide. Inference and adapters need no more than what was tried with them.
    void publishedExperiments() {
        for (const test::Experiments& experiments : test::allExperiments())
            compareWithGpus(experiments);
        if (test::allExperiments().size() < 2)
            QSKIP("The published experiments are not there.");
    }

    // Published experiments that cannot have run, whatever else is assumed: weights alone exceed
    // 150.8 GB (2 B of 175 and 141 billion parameters), or states and activations without
    // recomputation do, with which they fit. H200, GPT-3 175B on 32 stages: 3 layers of 12 · 12288²
    // parameters at 18 B and 32 micro-batches of 34 · 12288 · 2048 B are 98 + 82 GB. Llama 3 70B on
    // 16 stages: 5 layers, 16 micro-batches, 8192 tokens of 268 kB are 176 GB. H100 (85.5 GB): half
    // of these with two-way tensor parallelism are 90 GB, and 88 GB without any state.
    void outOfMemory() {
        const auto experiments = test::allExperiments();
        if (experiments.size() < 2)
            QSKIP("The published experiments are not there.");
        int weights = 0;
        int activations = 0;
        for (const Row& row : test::readExperiments(experiments.back().root)) {
            const bool isPretraining
                = row["sweep"].starts_with("optimization-sweep") && row["FSDP"] != "True";
            if (!isPretraining && row["TP"] == "1" && row["PP"] == "1" && row["EP"] == "1"
                && (row["model"] == "gpt3-175b" || row["model"] == "mixtral-8x22b")) {
                ++weights;
                QVERIFY(!fitsIn(row));
                continue;
            }
            const std::string layout = row["gpu_constraint"] + " " + row["model"] + " TP"
                + row["TP"] + "-PP" + row["PP"];
            const bool isTooLarge = layout == "H200 gpt3-175b TP1-PP32"
                || layout == "H200 llama3-70b TP1-PP16" || layout == "H100 gpt3-175b TP2-PP32"
                || layout == "H100 llama3-70b TP2-PP16";
            if (!isPretraining || !isTooLarge)
                continue;
            ++activations;
            QCOMPARE(fitsIn(row), row["recompute"] == "True");
        }
        QCOMPARE(weights, 27);
        QCOMPARE(activations, 16); // four layouts, each with and without recomputation and overlap
    }

    // The model's side of the traffic: the weights of a layer and what else the launch says.

    // Summed over the layers, with both tables, the weights are those of the whole model.
    void weightsSumToTheModel() {
        for (const auto& model : catalogue::builtInModels()) {
            const auto traffic = trafficModelOf(model, 2048, 1);
            const double layers = model.layers + traffic.nextTokenLayers;
            const double dense = traffic.denseLayers;
            const double sum = layers * traffic.attentionParameters
                + dense * traffic.denseMlpParameters
                + (layers - dense)
                    * (traffic.besideExperts + traffic.mlpParameters * model.experts);
            const double tables = (model.tiedEmbeddings ? 1.0 : 2.0) * traffic.embeddingParameters;
            const double total = parametersOf(model).total;
            // Apart from the last norm; beside 10¹² a double knows no more than 10⁻⁴.
            QVERIFY2(std::abs(sum + tables + model.hidden - total) < 1.0, model.name.c_str());
        }
    }

    // GPT-3 175B on TP 8: 96 layers of 12288, micro-batch 1 of 2048 tokens in 16 bits are 50.3 MB
    // between layers; a layer sends (4 · 2 · 7/8 + 2 · 7/8) of them.
    void ofALaunchConfiguration() {
        LaunchConfig launch;
        launch.model = "gpt3-175b";
        QVERIFY(!trafficModelOf(launch, catalogue::modelCatalogue()).hasValue());
        launch.sequenceLength = 2048;
        launch.microBatch = 1;
        const auto model = trafficModelOf(launch, catalogue::modelCatalogue()).value();
        layout::LayoutRequest request;
        request.nodes = 1;
        request.gpusPerNode = 8;
        request.tensor = 8;
        request.layers = 96;
        request.microbatches = 1;
        const auto traffic
            = layout::trafficOf(layout::makeLayout(request).value(), model, 0).value();
        QCOMPARE(traffic.at(0).group, std::string("tp"));
        QCOMPARE(traffic.at(0).bytes, 96 * (7.0 + 1.75) * 2048 * 12288 * 2);
    }

private:
    static bool fitsIn(const Row& row) {
        const LaunchConfig launch = launchOf(row);
        return fullestOf(stageNeedsOf(requestOf(launch))).fits(bytesOfGpu(row));
    }

    static double bytesOfGpu(const Row& row) {
        return (row["gpu_constraint"] == "H200" ? 143771.0 : 81559.0) * 1048576.0;
    }

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
            const auto needs = memoryNeedsOf(launch, layout.value());
            QVERIFY(!needs.empty());
            const MemoryNeed& need = needs.front();
            const bool isOver = need.total(*launch.microBatch) > bytesOfGpu(row);
            exceeding += isOver ? 1 : 0;
            if (row["recompute"] != "True" || launch.workload != Workload::Training)
                continue;
            ++ran;
            QVERIFY2(!isOver,
                (row["yaml_path"] + " needs "
                    + std::to_string(need.total(*launch.microBatch) * 1e-9) + " GB")
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

TRAINSCOPE_TEST(tst_RunMemory)
#include "tst_RunMemory.moc"
