// GPUs of a group that share a node, counted by hand.

#include <QtTest>

#include "core/predict/operators/RankGroup.h"
#include "core/predict/prediction/JobRequest.h"
#include "support/TestProgram.h"

#include <string>

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

class tst_RankGroup : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        QTest::addColumn<QByteArray>("layout");
        QTest::addColumn<int>("dense");
        QTest::addColumn<int>("denseInside");
        QTest::addColumn<int>("experts");
        QTest::addColumn<int>("expertsInside");
        QTest::newRow("ETP 1") << QByteArray("tp=2,ep=4,etp=1") << 16 << 4 << 8 << 2;
        QTest::newRow("ETP 2") << QByteArray("tp=2,ep=4,etp=2") << 16 << 4 << 4 << 1;
        QTest::newRow("CP") << QByteArray("tp=2,cp=2,ep=4,etp=1") << 16 << 4 << 8 << 2;
        QTest::newRow("EP 8") << QByteArray("ep=8") << 32 << 8 << 4 << 1;
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
        QTest::addColumn<QByteArray>("order");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("replicas");
        QTest::addColumn<int>("stages");
        QTest::newRow("Megatron-LM") << QByteArray("tp-cp-ep-dp-pp") << 2 << 2 << 2;
        QTest::newRow("three of them") << QByteArray("tp-dp-pp") << 2 << 2 << 2;
        QTest::newRow("stages in a node") << QByteArray("tp-pp-dp") << 2 << 1 << 2;
        QTest::newRow("tensors over nodes") << QByteArray("dp-pp-tp") << 1 << 2 << 2;
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

TRAINSCOPE_TEST(tst_RankGroup)
#include "tst_RankGroup.moc"
