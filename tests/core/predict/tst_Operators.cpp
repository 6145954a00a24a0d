// Floating-point operations and bytes against the closed forms of the papers, by hand.

#include "core/predict/operators/Operator.h"
#include "core/predict/operators/RankGroup.h"
#include "core/predict/prediction/JobRequest.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

namespace {

Job placedJob(const char* model, const char* cluster, const std::string& layout) {
    JobRequest request;
    request.model = *catalogue::modelCatalogue().byName(model);
    request.cluster = clusterFrom(cluster).value();
    request.layout = layoutFrom(layout).value();
    request.globalBatch = 64;
    return jobOf(request).value();
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
};

TRAINSCOPE_TEST(tst_Operators)
#include "tst_Operators.moc"
