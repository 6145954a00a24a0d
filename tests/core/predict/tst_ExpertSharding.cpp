// Exchanges and updates of steps of mixtures of experts where experts have replicas of their own,
// against the closed forms of rings with counts by hand.

#include <QtTest>

#include "core/predict/cost/Analytic.h"
#include "core/predict/step/Step.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

Job mixtralOn(const char* cluster, const char* layout) {
    return test::catalogueJob("mixtral-8x7b", cluster, layout, 32);
}

Rates usualRates(const Job& job) {
    return RateTable::builtIn().ratesOf(job).value();
}

// An all-gather or reduce-scatter of so many ranks, `inside` of them in a node.
double ringSeconds(const Rates& rates, double bytes, double ranks, double inside) {
    const double nodes = ranks / inside;
    const double link = bytes * (inside - 1.0) / inside / rates.link;
    const double network
        = nodes > 1.0 ? bytes * (ranks - 1.0) / ranks / (inside * rates.network) : 0.0;
    return std::max(link, network) + rates.linkLatency + rates.networkLatency * std::log2(nodes);
}

bool agree(double a, double b) {
    return std::abs(a / b - 1.0) < 1e-9;
}

} // namespace

class tst_ExpertSharding : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // TP 2, EP 4, ETP 1 on four nodes of 8: parameters outside of experts have 16 replicas, four of
    // them in a node; experts eight, two of them in a node. Gradients 4 B down, parameters 2 B up.
    void gradientsOfExpertsGoAmongTheirReplicas() {
        const Job job = mixtralOn("4x8xH100", "tp=2,ep=4,etp=1");
        const Rates rates = usualRates(job);
        const Step step = predictStep(job, rates).value();
        const LayerWork layer = layerWork(job, true);
        const double dense
            = 32.0 * layer.parameters + embeddingWork(job).parameters + lossWork(job).parameters;
        const double experts = 32.0 * layer.expertParameters;
        const double all = ringSeconds(rates, 4.0 * dense, 16, 4)
            + ringSeconds(rates, 2.0 * dense, 16, 4) + ringSeconds(rates, 4.0 * experts, 8, 2)
            + ringSeconds(rates, 2.0 * experts, 8, 2);
        const PieceCost& piece = step.pieces.front();
        const double microBatch = piece.forward.total() + piece.backward.total();
        const double exposed
            = std::max(rates.dataExposed * all, all - rates.dataHidden * microBatch);
        QVERIFY(agree(step.breakdown[StepPart::DataParallel], exposed));
    }

    // ZeRO 3 gathers 2 B of each parameter for a layer. With EP 8 on eight GPUs nobody else has the
    // same expert, and none is gathered; on two nodes of eight one other rank has it, in the other
    // node.
    void expertsAreGatheredAmongTheirReplicas_data() {
        QTest::addColumn<QByteArray>("cluster");
        QTest::addColumn<double>("replicas");
        QTest::addColumn<double>("expertReplicas");
        QTest::newRow("one node") << QByteArray("1x8xH200") << 8.0 << 1.0;
        QTest::newRow("two nodes") << QByteArray("2x8xH200") << 16.0 << 2.0;
    }
    void expertsAreGatheredAmongTheirReplicas() {
        QFETCH(const QByteArray, cluster);
        QFETCH(const double, replicas);
        QFETCH(const double, expertReplicas);
        const Job job = mixtralOn(cluster.constData(), "ep=8,zero=3");
        const Rates rates = usualRates(job);
        const AnalyticCosts costs(rates);
        const Breakdown& forward = layerCostsOf(job, rates, costs, costs).expert.cost.forward;
        const LayerWork layer = layerWork(job, true);
        double gathering = ringSeconds(rates, 2.0 * layer.parameters, replicas, 8);
        if (expertReplicas > 1.0)
            gathering += ringSeconds(rates, 2.0 * layer.expertParameters, expertReplicas, 1);
        const double compute = forward.total() - forward[StepPart::Sharding];
        QVERIFY(agree(forward[StepPart::Sharding],
            std::max(rates.shardedSlowdown * gathering, gathering - compute)));
    }

    // Shards of two ranks on 32 GPUs with EP 8: each updates half of its parameters, of its experts
    // too, though four ranks have these.
    void expertsAreUpdatedByTheirShards() {
        const Job job = mixtralOn("4x8xH200", "ep=8,zero=3,shard=2");
        const Rates rates = usualRates(job);
        const LayerWork layer = layerWork(job, true);
        const double held = 32.0 * (layer.parameters + layer.expertParameters)
            + embeddingWork(job).parameters + lossWork(job).parameters;
        const double seconds = AnalyticCosts(rates).timeOf(optimizerWork(job, held / 2.0)).forward;
        QVERIFY(agree(predictStep(job, rates).value().breakdown[StepPart::Optimizer], seconds));
    }
};

TRAINSCOPE_TEST(tst_ExpertSharding)
#include "tst_ExpertSharding.moc"
