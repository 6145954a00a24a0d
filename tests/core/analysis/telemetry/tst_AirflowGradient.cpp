#include <QtTest>

#include "core/analysis/telemetry/Temperature.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

class tst_AirflowGradient : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rearMinusFrontOverNodes() {
        const auto found = airflowGradient(
            {{0, {{0, 50}, {1, 52}, {2, 60}, {3, 62}}}, {1, {{0, 51}, {1, 51}, {2, 55}, {3, 55}}}});
        QVERIFY(found.has_value());
        QCOMPARE(found->celsius, 7.0); // (10 + 4) / 2
        QCOMPARE(found->frontC, 51.0);
        QCOMPARE(found->rearC, 58.0);
        QCOMPARE(found->nodes.size(), std::size_t{2});
    }
    void anotherOrder() {
        const auto found
            = airflowGradient({{0, {{0, 50}, {1, 60}, {2, 52}, {3, 62}}}}, {0, 2, 1, 3});
        QCOMPARE(found->celsius, 10.0);
    }
    void theMiddleBelongsToNeither() {
        QCOMPARE(airflowGradient({{0, {{0, 50}, {1, 99}, {2, 58}}}})->celsius, 8.0);
    }
    void missingGpusAreLeftOut() {
        const auto found = airflowGradient({{0, {{0, 50}, {3, 62}}}, {1, {{0, 40}}}}, {0, 1, 2, 3});
        QCOMPARE(found->celsius, 12.0);
        QCOMPARE(found->nodes.size(), std::size_t{1});
        QVERIFY(!airflowGradient({{0, {{0, 50}}}}));
        QVERIFY(!airflowGradient({}));
    }
};

TRAINSCOPE_TEST(tst_AirflowGradient)
#include "tst_AirflowGradient.moc"
