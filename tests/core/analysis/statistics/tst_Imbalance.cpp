// Standard deviations within and between nodes, with numbers derived by hand.

#include "core/analysis/statistics/Means.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <cmath>

using namespace trainscope::analysis;

class tst_Imbalance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoNodes() {
        // Node 0: mean 20, std 10. Node 1: mean 40, std 0. Node means 20 and 40: std 10.
        const auto result = imbalance({{0, {10, 30}}, {1, {40, 40}}});
        QCOMPARE(*result.intraNode, 5.0);
        QCOMPARE(*result.interNode, 10.0);
    }

    void populationNotSample() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares add to 32, over 8 of them.
        QCOMPARE(*populationStd(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}), 2.0);
    }

    void nodesWithoutGpusAreLeftOut() {
        const auto result = imbalance({{0, {}}, {3, {7}}});
        QCOMPARE(*result.intraNode, 0.0);
        QCOMPARE(*result.interNode, 0.0);
    }

    void nothing() {
        QVERIFY(!imbalance({}).intraNode);
        QVERIFY(!imbalance({}).interNode);
        QVERIFY(!meanOf({}));
        QVERIFY(!populationStd({}));
    }

    void smallSpreadOnLargeMeans() {
        // A formula by squares minus the squared mean would lose these digits.
        QCOMPARE(*populationStd(std::vector<double>{1e9 + 1, 1e9 + 3}), 1.0);
    }
};

TRAINSCOPE_TEST(tst_Imbalance)
#include "tst_Imbalance.moc"
