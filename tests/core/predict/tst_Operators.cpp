// Floating-point operations and bytes against the closed forms of the papers, by hand.

#include "core/analysis/machine/ModelShape.h"
#include "core/predict/operators/Collective.h"
#include "core/predict/operators/Operator.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;
using analysis::adapterParametersOf;
using analysis::Adapters;
using analysis::adaptersFrom;

namespace {

Job placedJob(const char* model, const char* cluster, const std::string& layout) {
    return jobOf(test::jobRequest(model, cluster, layout, 64)).value();
}

JobRequest adapted(const char* model, const char* layout, int gpus) {
    JobRequest request;
    request.model = *catalogue::modelCatalogue().byName(model);
    request.model.nextTokenLayers = 0;
    request.cluster = clusterFrom(std::to_string(gpus) + "xH100").value();
    request.layout = layoutFrom(layout).value();
    request.workload = Workload::Lora;
    request.sequence = 4096;
    request.globalBatch = 32;
    return request;
}

// Matrix products alone.
double productFlop(const LayerWork& work) {
    double flop = 0.0;
    for (const Operator& one : work.operators) {
        if (one.kind == OperatorKind::Gemm || one.kind == OperatorKind::GroupedGemm
            || one.kind == OperatorKind::Router)
            flop += forwardWork(one).flop + backwardWork(one).flop;
    }
    return flop;
}

} // namespace

class tst_Operators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsCountEveryMultiplyAddTwice() {
        // 2 · 3 · 5 · 7 = 210; inputs and output in 16 bits: 2 · (3·7 + 7·5 + 3·5) = 142 B.
        const Operator gemm{.kind = OperatorKind::Gemm, .m = 3, .n = 5, .k = 7};
        QCOMPARE(forwardWork(gemm).flop, 210.0);
        QCOMPARE(forwardWork(gemm).bytes, 142.0);
        QCOMPARE(backwardWork(gemm).flop, 420.0);
        Operator frozen = gemm;
        frozen.hasFrozenWeights = true;
        QCOMPARE(backwardWork(frozen).flop, 210.0);
    }

    void eightBitInputsAreHalfTheBytes() {
        // 1 · (3·7 + 7·5) + 2 · 3·5 = 86 B.
        const Operator gemm{
            .kind = OperatorKind::Gemm, .m = 3, .n = 5, .k = 7, .precision = Precision::Fp8};
        QCOMPARE(forwardWork(gemm).bytes, 86.0);
    }

    // Dao 2023: forward 4 · s² · d · heads, half of it where causal, backward 2.5 times that.
    void flashAttentionIsThatOfItsPaper() {
        Operator flash{
            .kind = OperatorKind::FlashAttention, .batch = 32, .m = 2048, .n = 128, .k = 2048};
        const double full = 4.0 * 2048 * 2048 * 128 * 32;
        QCOMPARE(forwardWork(flash).flop, full / 2);
        QCOMPARE(backwardWork(flash).flop, full / 2 * 2.5);
        flash.isCausal = false;
        QCOMPARE(forwardWork(flash).flop, full);
    }

    void whatIsBetweenProductsHasNoFlop() {
        const Operator norm{.kind = OperatorKind::RmsNorm, .m = 10, .n = 100};
        QCOMPARE(forwardWork(norm).flop, 0.0);
        QCOMPARE(forwardWork(norm).bytes, 4000.0); // 2 B in, 2 B out
        const Operator swiglu{.kind = OperatorKind::Swiglu, .m = 10, .n = 100};
        QCOMPARE(forwardWork(swiglu).bytes, 6000.0);
    }

    // Every kind at 10 × 100, summed over 20, three at a time where kinds come in batches; 16 bits.
    // By hand: a product 2 · 3 · 10 · 100 · 20 FLOP and 2 B · 3 · (10·20 + 20·100 + 10·100), a pass
    // over a tensor 2 B · 10 · 100.
    void everyKindByHand_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("batch");
        QTest::addColumn<double>("flop");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("backwardFlop");
        QTest::addColumn<double>("backwardBytes");
        const auto row = [](OperatorKind kind, double batch, double flop, double bytes,
                             double backwardFlop, double backwardBytes) {
            QTest::newRow(std::string(toString(kind)).c_str()) << static_cast<int>(
                kind) << batch << flop << bytes << backwardFlop << backwardBytes;
        };
        row(OperatorKind::Gemm, 1.0, 40000, 6400, 80000, 12800);
        row(OperatorKind::GroupedGemm, 3.0, 120000, 19200, 240000, 38400);
        row(OperatorKind::Router, 1.0, 40000, 6400, 80000, 12800);
        row(OperatorKind::AttentionScores, 3.0, 120000, 19200, 240000, 38400);
        row(OperatorKind::AttentionValues, 3.0, 120000, 19200, 240000, 38400);
        // Two products, half of them: 2 · 60000; queries, result 2 · 10·100, keys, values 2 ·
        // 20·100.
        row(OperatorKind::FlashAttention, 3.0, 120000, 36000, 300000, 72000);
        // None halved; `cached` numbers for each of 20 tokens.
        row(OperatorKind::CachedAttention, 3.0, 240000, 2.0 * 3 * (2000 + 20 * 150), 0, 0);
        row(OperatorKind::Softmax, 3.0, 0, 12000, 0, 18000); // in, out; result, its gradient, out
        row(OperatorKind::Rope, 3.0, 0, 12000, 0, 12000);
        row(OperatorKind::Embedding, 1.0, 0, 4000, 0, 4000);
        row(OperatorKind::LayerNorm, 1.0, 0, 4000, 0, 6000);
        row(OperatorKind::RmsNorm, 1.0, 0, 4000, 0, 6000);
        row(OperatorKind::Gelu, 1.0, 0, 4000, 0, 6000);
        row(OperatorKind::Swiglu, 1.0, 0, 6000, 0, 10000); // two in; both, gradient, both of theirs
        row(OperatorKind::Residual, 1.0, 0, 6000, 0, 6000);
        row(OperatorKind::Dropout, 1.0, 0, 5000, 0, 5000); // and a mask of bytes
        row(OperatorKind::Permute, 1.0, 0, 4000, 0, 4000);
        row(OperatorKind::Cast, 1.0, 0, 6000, 0, 6000); // as it is and transposed
        row(OperatorKind::CrossEntropy, 1.0, 0, 14000, 0, 10500);
        row(OperatorKind::Sampling, 1.0, 0, 10000, 0, 0);
        row(OperatorKind::Optimizer, 1.0, 0, 300, 0, 0);
    }
    void everyKindByHand() {
        QFETCH(const int, kind);
        QFETCH(const double, batch);
        Operator work{.kind = static_cast<OperatorKind>(kind), .batch = batch};
        work.m = 10;
        work.n = 100;
        work.k = 20;
        work.cached = 150;
        QTEST(forwardWork(work).flop, "flop");
        QTEST(forwardWork(work).bytes, "bytes");
        QTEST(backwardWork(work).flop, "backwardFlop");
        QTEST(backwardWork(work).bytes, "backwardBytes");
    }

    // Only the products with weights leave a gradient of them out.
    void frozenWeights() {
        for (const auto kind :
            {OperatorKind::Gemm, OperatorKind::GroupedGemm, OperatorKind::Router}) {
            Operator work{.kind = kind, .m = 10, .n = 100, .k = 20};
            work.hasFrozenWeights = true;
            QCOMPARE(backwardWork(work).flop, forwardWork(work).flop);
            QCOMPARE(backwardWork(work).bytes, forwardWork(work).bytes);
        }
    }

    void fewRowsAreStreamed() {
        QVERIFY(isStreamed({.kind = OperatorKind::Gemm, .m = 64, .n = 4096, .k = 4096}));
        QVERIFY(!isStreamed({.kind = OperatorKind::Gemm, .m = 4096, .n = 4096, .k = 4096}));
        QVERIFY(!isStreamed({.kind = OperatorKind::RmsNorm, .m = 64, .n = 4096}));
    }

    void namesAreKept() {
        QCOMPARE(std::string(toString(OperatorKind::GroupedGemm)), std::string("grouped_gemm"));
        QCOMPARE(precisionFrom("BF16"), std::optional(Precision::Bf16));
        QCOMPARE(
            analysis::recomputationFrom("per-operator"), std::optional(Recompute::PerOperator));
        QVERIFY(!precisionFrom("int4"));
    }

    // GPUs of a group that share a node, counted by hand.
    void groupsAreCutIntoShards() {
        const RankGroup group{16, 2};
        QCOMPARE(group.shard(4).ranks, 4);
        QCOMPARE(group.shard(4).stride, 2);
        QCOMPARE(group.acrossShards(4).ranks, 4);
        QCOMPARE(group.acrossShards(4).stride, 8);
        // A shard of more ranks than there are is all of them.
        QCOMPARE(group.shard(64).ranks, 16);
        QCOMPARE(group.acrossShards(64).ranks, 1);
    }

    // 32 GPUs in nodes of 8. Ranks 0, 2, 4, 6 of the 16 with one tensor-parallel place share the
    // first node. Experts count ETP × EP × EDP: with ETP 1, EP 4 those of rank 0 lie at 0, 4, 8 and
    // so on, two in a node; with ETP 2 at 0, 8, 16, 24, each in a node of its own. CP is no
    // dimension of experts.
    void expertsLieWhereTheirOwnDegreesSay_data() {
        const auto row = test::columns<QByteArray, int, int, int, int>(
            "layout", "dense", "denseInside", "experts", "expertsInside");
        row("ETP 1", "tp=2,ep=4,etp=1", 16, 4, 8, 2);
        row("ETP 2", "tp=2,ep=4,etp=2", 16, 4, 4, 1);
        row("CP", "tp=2,cp=2,ep=4,etp=1", 16, 4, 8, 2);
        row("EP 8", "ep=8", 32, 8, 4, 1);
    }
    void expertsLieWhereTheirOwnDegreesSay() {
        QFETCH(const QByteArray, layout);
        const Job job = placedJob("mixtral-8x7b", "4x8xH100", layout.toStdString());
        QTEST(denseReplicas(job).ranks, "dense");
        QTEST(ranksInside(job, denseReplicas(job)), "denseInside");
        QTEST(expertReplicas(job).ranks, "experts");
        QTEST(ranksInside(job, expertReplicas(job)), "expertsInside");
    }

    // 16 GPUs in two nodes, TP 2, PP 4, DP 2. Counted tp-dp-pp the replica of rank 0 is rank 2, the
    // next stage rank 4; tp-pp-dp has the next stage at rank 2 and the replica at rank 8, in the
    // other node; dp-pp-tp has the other half of each tensor there.
    void ordersMoveGroups_data() {
        const auto row
            = test::columns<QByteArray, int, int, int>("order", "tensor", "replicas", "stages");
        row("Megatron-LM", "tp-cp-ep-dp-pp", 2, 2, 2);
        row("three of them", "tp-dp-pp", 2, 2, 2);
        row("stages in a node", "tp-pp-dp", 2, 1, 2);
        row("tensors over nodes", "dp-pp-tp", 1, 2, 2);
    }
    void ordersMoveGroups() {
        QFETCH(const QByteArray, order);
        const Job job
            = placedJob("llama3-8b", "2x8xH100", "tp=2,pp=4,order=" + order.toStdString());
        QTEST(ranksInside(job, {2, 1}), "tensor");
        QTEST(ranksInside(job, denseReplicas(job)), "replicas");
        QTEST(ranksInside(job, {2, 4}), "stages");
    }

    // LoRA: adapters as they are written and counted, and what training them alone takes and leaves
    // out.

    void writtenAndRead() {
        QCOMPARE(textOf(Adapters{}), std::string("16:qkv"));
        for (const char* text : {"16:qkv", "8:qkv+out", "64:out+up+down"})
            QCOMPARE(textOf(adaptersFrom(text).value()), std::string(text));
        QCOMPARE(textOf(adaptersFrom("32").value()), std::string("32:qkv"));
        QCOMPARE(textOf(adaptersFrom("4:all").value()), std::string("4:qkv+out+up+down"));
        for (const char* text : {"", "0:qkv", "x:qkv", "16:", "16:kv", "16:qkv+", "-4"})
            QVERIFY2(!adaptersFrom(text).hasValue(), text);
    }

    // Llama 3 70B: queries, keys and values of 8192 + 2 · 1024 from 8192, rank 16.
    void parametersByHand() {
        const catalogue::TrainingModel model = *catalogue::modelCatalogue().byName("llama3-70b");
        QCOMPARE(adapterParametersOf(model, {}, 1.0, false), 16.0 * (8192 + 10240));
        QCOMPARE(adapterParametersOf(model, {}, 2.0, false), 16.0 * (8192 + 5120));
        const Adapters all = adaptersFrom("16:all").value();
        QCOMPARE(adapterParametersOf(model, all, 1.0, false),
            16.0 * (18432 + 16384 + (8192 + 57344) + (28672 + 8192)));
        QCOMPARE(adapterParametersOf(model, all, 1.0, true), 16.0 * (18432 + 16384)); // no experts
    }

    // 4 FLOP a token for each weight of the model and its head, forward and gradients of inputs,
    // and 6 for each of the adapters. The embedding's table and the norms multiply nothing.
    void fourForEachFrozenWeight_data() {
        test::columns<QByteArray, QByteArray>("name", "adapters");
        for (const char* name : {"gpt3-175b", "llama3-70b", "llama3-8b", "mixtral-8x7b",
                 "qwen3-30b-a3b", "deepseek-v3"}) {
            QTest::addRow("%s usual", name) << QByteArray(name) << QByteArray("16:qkv");
            QTest::addRow("%s all", name) << QByteArray(name) << QByteArray("64:all");
        }
    }
    void fourForEachFrozenWeight() {
        QFETCH(const QByteArray, name);
        QFETCH(const QByteArray, adapters);
        JobRequest request = adapted(name.constData(), "tp=1", 1);
        request.cluster.nodes = request.cluster.gpusPerNode = 1;
        request.globalBatch = 1;
        request.adapters = adaptersFrom(adapters.constData()).value();
        const Job job = jobOf(request).value();
        const auto& model = job.model;
        const int dense = model.experts > 1 ? model.denseLayers : model.layers;
        const int mixed = model.layers - dense;
        double flop = dense * productFlop(layerWork(job, false)) + productFlop(lossWork(job));
        if (mixed > 0)
            flop += mixed * productFlop(layerWork(job, true));
        const double table = 1.0 * model.hidden * model.vocabulary;
        const double norms = (2.0 * model.layers + 1.0) * model.hidden;
        const double frozen
            = analysis::parametersOf(model).active - norms - (model.tiedEmbeddings ? 0.0 : table);
        const double trained = dense * adapterParametersOf(model, job.adapters, 1.0, false)
            + mixed * adapterParametersOf(model, job.adapters, 1.0, true);
        const double expected = 4096.0 * (4.0 * frozen + 6.0 * trained);
        VERIFY_RATIO(flop, expected, 1e-9);
    }

    void operatorsCountTheParameters() {
        for (const char* name : {"llama3-70b", "deepseek-v3"}) {
            for (const char* layout : {"tp=1", "tp=8"}) {
                JobRequest request = adapted(name, layout, 8);
                request.adapters = adaptersFrom("8:all").value();
                const Job job = jobOf(request).value();
                const double tensor = job.layout.grid.degrees().tensor;
                QCOMPARE(layerWork(job, false).adapterParameters,
                    adapterParametersOf(job.model, job.adapters, tensor, false));
            }
        }
    }

    // An adapter's numbers are added where its matrix's result is: behind queries, keys and values
    // to all of 4,096 tokens of a part of them, behind attention's output and the MLP, with
    // sequence parallelism, to a GPU's eighth of the tokens.
    void addedWhereTheResultIs() {
        JobRequest request = adapted("llama3-70b", "tp=8", 8);
        request.adapters = adaptersFrom("16:all").value();
        Job job = jobOf(request).value();
        QVERIFY(job.sequenceParallel);
        const auto added = [&job] {
            double numbers = 0.0;
            for (const Operator& one : layerWork(job, false).operators)
                numbers += one.name == "adapter_sum" ? one.m * one.n : 0.0;
            return numbers;
        };
        const double inside = 4096.0 * (10240 + 2 * 28672) / 8.0;
        QCOMPARE(added(), inside + 2.0 * 4096 * 8192 / 8.0);
        job.sequenceParallel = false;
        QCOMPARE(added(), inside + 2.0 * 4096 * 8192);
    }

    // Frozen weights have no states, adapters all of them: 2 + 4 + 12 B. Activations for frozen
    // weights are not kept: of 8,192 tokens a layer 2 · 8192 B before the MLP and 2 · 28672 B
    // before its last product, half of both on each of two GPUs; the adapter's 2 · 16 B are.
    void memoryByHand() {
        const Job job = jobOf(adapted("llama3-70b", "tp=2,pp=4", 8)).value();
        const auto need = analysis::stageNeedOf(memoryRequestOf(job), 1);
        const double each = 20 * 16.0 * (8192 + 5120);
        QVERIFY(std::abs(need.gradients / (4.0 * each) - 1.0) < 1e-9);
        QVERIFY(std::abs(need.optimizer / (12.0 * each) - 1.0) < 1e-9);
        JobRequest full = adapted("llama3-70b", "tp=2,pp=4", 8);
        full.workload = Workload::Training;
        const auto all = analysis::stageNeedOf(memoryRequestOf(jobOf(full).value()), 1);
        QVERIFY(std::abs((need.weights - 2.0 * each) / all.weights - 1.0) < 1e-9);
        const double frozen = 2.0 * (8192 + 28672) / 2 - 2.0 * 16;
        const double passes = 20.0 * std::min(3, job.microbatches());
        QVERIFY(std::abs((all.held - need.held) / (passes * job.sequence * frozen) - 1.0) < 1e-9);
    }

    // Less than training of all weights, more with more adapters; their gradients are next to
    // nothing to reduce and their optimizer next to nothing to run.
    void time() {
        const auto predicted = [](const char* adapters, Workload workload) {
            JobRequest request = adapted("llama3-8b", "tp=1", 16);
            request.workload = workload;
            request.adapters = adaptersFrom(adapters).value();
            return Predictor().predict(jobOf(request).value()).value();
        };
        const auto training = predicted("16", Workload::Training);
        const auto usual = predicted("16", Workload::Lora);
        const auto all = predicted("16:all", Workload::Lora);
        QVERIFY(usual.seconds < 0.85 * training.seconds);
        QVERIFY(all.seconds > usual.seconds && all.seconds < training.seconds);
        const Breakdown& step = usual.step.breakdown;
        QVERIFY(step[StepPart::Optimizer] > 0.0);
        QVERIFY(step[StepPart::Optimizer]
            < 0.01 * training.step.breakdown[StepPart::Optimizer] * 16); // not sharded
        QVERIFY(step[StepPart::DataParallel] > 0.0);
        QVERIFY(step[StepPart::DataParallel] < 0.05 * usual.seconds);
    }
};

TRAINSCOPE_TEST(tst_Operators)
#include "tst_Operators.moc"
