// The formula of memory against what torchtitan's own tables say of its runs: the GiB that the
// fullest GPU's allocator had reserved, and which configurations ran out of memory.

#include <QtTest>

#include "core/analysis/machine/MemoryConvention.h"
#include "core/layout/LayoutRequest.h"
#include "support/TestProgram.h"

#include <cmath>
#include <vector>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

constexpr double kPrintedGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kA100 = 80.0 * kPrintedGiB;
constexpr double kOutside = 0.8e9; // CUDA's own and NCCL's memory, which no allocator knows

struct TitanRun {
    std::string model;
    int gpus = 8;
    int tensor = 1;
    int pipeline = 1;
    int context = 1;
    int sequence = 8192;
    int microBatch = 1;
    Recomputation recompute = Recomputation::Full;
    LossKernel loss = LossKernel::Separate; // InPlace where the loss was compiled
    double printed = 0.0; // GiB; 0: not stated
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
        {.model = "llama3-8b", .microBatch = 2, .recompute = PerOperator, .printed = 77.0},
        {.model = "llama3-8b",
            .gpus = 128,
            .microBatch = 2,
            .recompute = PerOperator,
            .printed = 62.0},
        {.model = "llama3-8b", .sequence = 32768, .printed = 83.9},
        {.model = "llama3-8b", .context = 2, .sequence = 65536, .printed = 84.2},
        {.model = "llama3-8b", .context = 4, .sequence = 131072, .printed = 84.0},
        {.model = "llama3-8b", .context = 8, .sequence = 262144, .printed = 84.5},
        {.model = "llama3-70b", .gpus = 256, .tensor = 8, .microBatch = 16, .printed = 71.9},
        {.model = "llama3-405b",
            .gpus = 512,
            .tensor = 8,
            .pipeline = 8,
            .microBatch = 4,
            .printed = 82.5},
        {.model = "llama3-405b",
            .gpus = 512,
            .tensor = 8,
            .pipeline = 8,
            .sequence = 32768,
            .printed = 75.3},
        {.model = "llama3-405b",
            .gpus = 512,
            .tensor = 8,
            .pipeline = 8,
            .context = 8,
            .sequence = 262144,
            .printed = 84.9},
        {.model = "llama3-8b",
            .gpus = 32,
            .microBatch = 2,
            .recompute = PerOperator,
            .loss = LossKernel::InPlace,
            .printed = 47.96},
        {.model = "llama3-8b",
            .gpus = 64,
            .microBatch = 2,
            .recompute = PerOperator,
            .loss = LossKernel::InPlace,
            .printed = 46.97},
    };
    return runs;
}

} // namespace

class tst_PrintedMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
};

TRAINSCOPE_TEST(tst_PrintedMemory)
#include "tst_PrintedMemory.moc"
