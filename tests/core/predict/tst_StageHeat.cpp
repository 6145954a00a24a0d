// Temperatures of pipelines whose stages draw differently much, against sums by hand.

#include <QtTest>

#include "core/predict/prediction/Prediction.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

#include <cmath>
#include <numeric>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

Prediction pipelineOn(const char* cluster, const char* layout) {
    return Predictor().predict(test::catalogueJob("llama3-8b", cluster, layout, 16)).value();
}

} // namespace

class tst_StageHeat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The last of eight stages makes the logits besides, and the others wait for it. It is in the
    // rear, in air that the four in front have warmed: inlet + rise · Σ P + R · its own P.
    void theHottestHasThePowerOfItsStage() {
        const Prediction made = pipelineOn("1x8xH200", "pp=8");
        const Outlook& outlook = made.outlook;
        const std::vector<double>& watts = outlook.stageW;
        QCOMPARE(watts.size(), std::size_t{8});
        QVERIFY(watts[7] > 1.2 * watts[6]);
        QVERIFY(
            std::abs(std::accumulate(watts.begin(), watts.end(), 0.0) / 8.0 / outlook.meanW - 1.0)
            < 1e-9);
        const NodeAir air = made.power.airOf(8);
        const double celsius = air.inletC
            + air.risePerW * (watts[0] + watts[1] + watts[2] + watts[3])
            + made.power.gpu.thermal.resistance * watts[7];
        QVERIFY(std::abs(outlook.hottestC - celsius) < 1e-6);
        QVERIFY(std::abs(outlook.node[7].celsius - celsius) < 1e-6);
        QCOMPARE(outlook.node[7].watts, watts[7]);
    }

    // The node shown is the one of two that has the last stage.
    void theNodeIsThatOfTheHottest() {
        const Outlook outlook = pipelineOn("2x8xH200", "pp=16").outlook;
        QCOMPARE(outlook.node.size(), std::size_t{8});
        QCOMPARE(outlook.node[0].watts, outlook.stageW[8]);
        QCOMPARE(outlook.node[7].watts, outlook.stageW[15]);
        QCOMPARE(outlook.node[7].celsius, outlook.hottestC);
    }
};

TRAINSCOPE_TEST(tst_StageHeat)
#include "tst_StageHeat.moc"
