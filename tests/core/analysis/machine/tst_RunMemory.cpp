// Memory that runs need of their GPUs: where the configuration is silent, and over the published
// experiments, of which some ran and some cannot have.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/machine/KeptNumbers.h"
#include "core/analysis/machine/ModelShape.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/layout/LayoutRequest.h"
#include "core/store/Fixture.h"
#include "support/MemoryLaunch.h"
#include "support/PublishedExperiments.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using test::isAbout;
using test::needOf;
using test::requestOf;
using test::smallLaunch;
using namespace trainscope::test;

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

constexpr double kPrintedGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kA100 = 80.0 * kPrintedGiB;
constexpr double kOutside = 0.8e9; // CUDA's own and NCCL's memory, which no allocator knows

struct TitanRun {
    std::string model;
    double printed = 0.0; // GiB; 0: not stated
    int gpus = 8;
    int tensor = 1;
    int pipeline = 1;
    int context = 1;
    int sequence = 8192;
    int microBatch = 1;
    Recomputation recompute = Recomputation::Full;
    LossKernel loss = LossKernel::Separate; // InPlace where the loss was compiled
};

MemoryRequest requestFor(const TitanRun& run) {
    layout::LayoutRequest asked;
    asked.tensor = run.tensor;
    asked.pipeline = run.pipeline;
    asked.context = run.context;
    asked.worldSize = run.gpus;
    asked.gpusPerNode = 8;
    asked.zeroStage = 3;
    asked.microbatches = run.pipeline;
    const auto models = catalogue::modelCatalogue();
    const auto* model = models.byName(run.model);
    if (model == nullptr)
        qFatal("no %s", run.model.c_str());
    auto made = layout::makeLayout(asked);
    if (!made.hasValue())
        qFatal("%s", made.error().message.c_str());
    MemoryRequest request{{*model}, std::move(made).value()};
    request.sequence = run.sequence;
    request.microBatch = run.microBatch;
    request.recompute = run.recompute;
    follow(memoryConventionOf("torchtitan"), request);
    if (run.loss == LossKernel::InPlace)
        request.loss = run.loss;
    return request;
}

// Benchmarks of December 2024 (H100 with 96 GB, compiled) and, with a compiled loss, June 2025.
const std::vector<TitanRun>& printedRuns() {
    using enum Recomputation;
    static const std::vector<TitanRun> runs{
        // GiB, GPUs, TP, PP, CP, tokens of a sample, samples of a micro-batch
        {"llama3-8b", 77.0, 8, 1, 1, 1, 8192, 2, PerOperator},
        {"llama3-8b", 62.0, 128, 1, 1, 1, 8192, 2, PerOperator},
        {"llama3-8b", 83.9, 8, 1, 1, 1, 32768, 1},
        {"llama3-8b", 84.2, 8, 1, 1, 2, 65536, 1},
        {"llama3-8b", 84.0, 8, 1, 1, 4, 131072, 1},
        {"llama3-8b", 84.5, 8, 1, 1, 8, 262144, 1},
        {"llama3-70b", 71.9, 256, 8, 1, 1, 8192, 16},
        {"llama3-405b", 82.5, 512, 8, 8, 1, 8192, 4},
        {"llama3-405b", 75.3, 512, 8, 8, 1, 32768, 1},
        {"llama3-405b", 84.9, 512, 8, 8, 8, 262144, 1},
        {"llama3-8b", 47.96, 32, 1, 1, 1, 8192, 2, PerOperator, LossKernel::InPlace},
        {"llama3-8b", 46.97, 64, 1, 1, 1, 8192, 2, PerOperator, LossKernel::InPlace},
    };
    return runs;
}

constexpr std::int64_t kMib = 1 << 20;
constexpr std::int64_t kGib = 1 << 30;
constexpr TimeNs kStart{1'760'000'000'000'000'000};

TimeNs at(int seconds) {
    return kStart + DurationNs{seconds * 1'000'000'000LL};
}

AllocatorRecord fullRecord() {
    AllocatorRecord record;
    record.rank = 3;
    record.device = 1;
    record.events = 9;
    record.peak = {at(2), 3 * kGib, 8 * kGib, 3,
        {{MemoryUse::Activation, 2 * kGib}, {MemoryUse::Unknown, kGib}},
        {{MemoryUse::Activation, kGib, 2, {"forward (model.py:3)", "main (train.py:1)"}},
            {MemoryUse::Unknown, kGib, 1, {}}}};
    record.outOfMemory.push_back({at(5), 2 * kGib, 1100 * kMib, 8 * kGib, 3 * kGib, 14, 800 * kMib,
        {"forward (model.py:3)"}});
    record.outOfMemoryCount = 1;
    record.endedSo = true;
    record.settings = "max_split_size_mb:512";
    return record;
}

PlantedTrace runWith(const std::vector<AllocatorRecord>& records) {
    PlantedTrace trace;
    const auto series = [&](const char* name, std::vector<double> inMib) {
        for (double& value : inMib)
            value *= static_cast<double>(kMib);
        trace.series(name, 3, at(0).ns, (at(1) - at(0)).ns, inMib);
    };
    series(metric::kTorchAllocated, {100, 300, 200, 500, 100, 400, 400, 100, 100});
    series(metric::kTorchReserved, {512, 512, 512, 1024, 1024, 1024, 1024, 1024, 1024});
    for (int i = 0; i < 2; ++i)
        trace.iteration(3, i + 7, at(3 * i).ns, at(3 * i + 3).ns);
    if (!records.empty())
        trace.report.facts[std::string(kAllocatorFact)] = allocatorText(records);
    return trace;
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

    // The formula of memory against what torchtitan's own tables say of its runs: the GiB that the
    // fullest GPU's allocator had reserved, and which configurations ran out of memory.

    // Three pipelines of as many tokens each print 75 to 85 GiB, which no formula tells apart.
    void printed() {
        double sum = 0.0;
        int flat = 0;
        for (const TitanRun& run : printedRuns()) {
            const StageNeed need = fullestOf(stageNeedsOf(requestFor(run)));
            const double error = (need.total() - kOutside) / kPrintedGiB / run.printed - 1.0;
            qInfo("%s, %d GPUs, %d tokens: %.1f GiB computed, %.1f printed, %+.1f %%",
                run.model.c_str(), run.gpus, run.sequence, (1.0 + error) * run.printed, run.printed,
                100.0 * error);
            QVERIFY(std::abs(error) < (run.pipeline > 1 ? 0.1 : 0.06));
            sum += run.pipeline > 1 ? 0.0 : std::abs(error);
            flat += run.pipeline > 1 ? 0 : 1;
        }
        QCOMPARE(flat, 9);
        QVERIFY(sum / flat < 0.03);
    }

    // On 64 A100 of 80 GB with 4,096 tokens a sample: of Llama 2 70B two samples ran out of memory
    // where every second product is kept; one did not, nor two with full recomputation, nor 13B
    // without any. 405B ran out of the 94 GB of 128 H100 without tensor parallelism.
    void ranOut() {
        using enum Recomputation;
        const TitanRun llama{.model = "llama2-70b", .gpus = 64, .sequence = 4096};
        TitanRun one = llama;
        one.recompute = PerOperator;
        TitanRun two = one;
        two.microBatch = 2;
        TitanRun full = llama;
        full.microBatch = 2;
        const TitanRun small{.model = "llama2-13b",
            .gpus = 64,
            .sequence = 4096,
            .microBatch = 2,
            .recompute = None};
        QVERIFY(fullestOf(stageNeedsOf(requestFor(one))).fits(kA100));
        QVERIFY(!fullestOf(stageNeedsOf(requestFor(two))).fits(kA100));
        QVERIFY(fullestOf(stageNeedsOf(requestFor(full))).fits(kA100));
        QVERIFY(fullestOf(stageNeedsOf(requestFor(small))).fits(kA100));
        const TitanRun large{.model = "llama3-405b", .gpus = 128};
        QVERIFY(!fullestOf(stageNeedsOf(requestFor(large))).fits(94.0 * kPrintedGiB));
    }

    // Memory of PyTorch's allocator in a run database: records of snapshots, allocations of
    // iterations, the sentences that say why memory ran out, and the findings.

    void recordsAsText() {
        AllocatorRecord bare;
        bare.peak.allocated = 5;
        const std::vector<AllocatorRecord> records{fullRecord(), bare};
        QCOMPARE(allocatorFromText(allocatorText(records)), records);
        for (const char* broken : {"", "{}", "[1]", "[", "[{\"peak\":3,\"out_of_memory\":[4]}]"})
            QVERIFY(allocatorFromText(broken).size() <= 1);
    }

    void sentences() {
        const OutOfMemory one = fullRecord().outOfMemory[0];
        QCOMPARE(outOfMemoryText(one, kStart),
            std::string(
                "Ran out of memory at 5 s: asked for 2.15 GB, 1.15 GB free on the device, 3.22 GB "
                "allocated, 5.37 GB reserved but not allocated in 14 pieces, the largest 839 MB."));
        VERIFY_SAYS(outOfMemoryReason(one), "fragmented");
        // 1.07 GiB free and 1 GiB reserved would do together.
        OutOfMemory both = one;
        both.reserved = 4 * kGib;
        VERIFY_SAYS(outOfMemoryReason(both), "do together");
        OutOfMemory full = one;
        full.reserved = 3 * kGib;
        VERIFY_SAYS(outOfMemoryReason(full), "needs more memory");
        QVERIFY(outOfMemoryText(full, kStart).find("pieces") == std::string::npos);
    }

    void measured() {
        PlantedTrace trace = runWith({});
        const auto store = trace.store();
        const Run run = got(store.findRun("run"));
        const auto devices = got(measuredMemoryOf({store, run}));
        QCOMPARE(devices.size(), std::size_t{1});
        const DeviceMemory& device = devices[0];
        QCOMPARE(device.peakAllocated, 500.0 * kMib);
        QVERIFY(device.peakTime == at(3));
        QVERIFY(device.reservedThen == 1024.0 * kMib);
        // Iteration 7 from 0 to 3 s: up by 200; iteration 8 to 6 s: up by 300 twice.
        QCOMPARE(device.steps.size(), std::size_t{2});
        QCOMPARE(device.steps[0].index, 7);
        QCOMPARE(device.steps[0].count, 1);
        QCOMPARE(device.steps[0].bytes, 200.0 * kMib);
        QCOMPARE(device.steps[0].peak, 300.0 * kMib);
        QCOMPARE(device.steps[1].count, 2);
        QCOMPARE(device.steps[1].bytes, 600.0 * kMib);
        QCOMPARE(device.steps[1].peak, 500.0 * kMib);
        QVERIFY(!device.record);
    }

    void findings() {
        PlantedTrace trace = runWith({fullRecord()});
        const auto store = trace.store();
        const Run run = got(store.findRun("run"));
        QCOMPARE(got(allocatorRecordsOf({store, run})), std::vector{fullRecord()});
        const auto findings = got(findingsOf({store, run}));
        const auto found = std::find_if(findings.begin(), findings.end(),
            [](const Finding& one) { return one.rule == "out_of_memory"; });
        QVERIFY(found != findings.end());
        QVERIFY(found->text.starts_with("Rank 3: Ran out of memory at 5 s: asked for 2.15 GB"));
        QVERIFY(found->text.ends_with(
            "At most 3.22 GB were allocated: Activations 66.7 %, Not known 33.3 %."));
        QCOMPARE(found->values.at("requested_b"), 2.0 * kGib);
        QCOMPARE(found->values.at("unallocated_b"), 5.0 * kGib);
        QCOMPARE(found->values.at("pieces"), 14.0);
        QCOMPARE(found->evidence.rank, 3);
        QVERIFY(found->evidence.range.begin == at(5));
        QVERIFY(found->severity == analysis::Severity::Serious);
    }

    void fragmentation() {
        AllocatorRecord record = fullRecord();
        record.outOfMemory.clear();
        const auto rules = [](const AllocatorRecord& one) {
            PlantedTrace trace = runWith({one});
            const auto store = trace.store();
            std::vector<std::string> names;
            for (const Finding& finding : got(findingsOf({store, got(store.findRun("run"))})))
                names.push_back(finding.rule);
            return names;
        };
        const auto has = [](const std::vector<std::string>& all, const char* rule) {
            return std::find(all.begin(), all.end(), rule) != all.end();
        };
        QVERIFY(has(rules(record), "memory_fragmentation")); // 5 of 8 GiB
        record.peak.allocated = 6 * kGib; // 2 of 8 GiB: a quarter
        QVERIFY(!has(rules(record), "memory_fragmentation"));
        record.peak = {at(2), kGib / 4, kGib, 1, {}, {}}; // three quarters, of little
        QVERIFY(!has(rules(record), "memory_fragmentation"));
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
