// Sweeps of the power limit: less power is never faster, and no limit is a special one.

#include <QtTest>

#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "support/TestProgram.h"

#include <cmath>
#include <vector>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

Job sweptJob(const char* cluster) {
    const auto catalogue = catalogue::modelCatalogue();
    JobRequest request;
    request.model = *catalogue.byName("llama3-8b");
    request.cluster = clusterFrom(cluster).value();
    request.layout = layoutFrom("tp=2").value();
    request.microBatch = 2;
    request.globalBatch = 64;
    return jobOf(request).value();
}

Prediction at(Job job, double limitW) {
    job.machine.powerLimitW = limitW;
    return Predictor().predict(job).value();
}

} // namespace

class tst_PowerSweep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isMonotoneAndSmooth_data() {
        QTest::addColumn<QByteArray>("cluster");
        for (const char* cluster : {"1x8xH100", "1x8xH200", "1x8xA100", "1x8xMI300X"})
            QTest::newRow(cluster) << QByteArray(cluster);
    }
    void isMonotoneAndSmooth() {
        QFETCH(const QByteArray, cluster);
        constexpr double kStepW = 5.0;
        constexpr double kMostChange = 0.03; // share of the step, for 5 W
        const Job job = sweptJob(cluster.constData());
        Prediction before = at(job, 300.0);
        double changeBefore = kMostChange;
        for (double limit = 300.0 + kStepW; limit <= 700.0; limit += kStepW) {
            const Prediction now = at(job, limit);
            const QByteArray where = QByteArray::number(limit);
            const double change = before.seconds / now.seconds - 1.0;
            QVERIFY2(change >= -1e-9 && change < kMostChange, where.constData());
            // Each watt more brings less than the one before: a jump would not.
            QVERIFY2(change < changeBefore + 2e-4, where.constData());
            QVERIFY2(now.outlook.meanW >= before.outlook.meanW - 1e-6, where.constData());
            QVERIFY2(now.outlook.hottestC >= before.outlook.hottestC - 1e-6, where.constData());
            QVERIFY2(
                now.intervals.peakW.high >= before.intervals.peakW.high - 1e-6, where.constData());
            changeBefore = change;
            before = now;
        }
    }

    // The usual limit, said or not.
    void theUsualLimitChangesNothing() {
        const Job job = sweptJob("1x8xH100");
        QVERIFY(std::abs(at(job, 700.0).seconds / Predictor().predict(job).value().seconds - 1.0)
            < 1e-6);
    }

    // Products are at (5/7)^0.65 = 0.80 of their speed; the step, of which a part is bound by
    // memory, is slower by less.
    void fiveHundredWatts() {
        const Job job = sweptJob("1x8xH100");
        const double slower = at(job, 500.0).seconds / at(job, 700.0).seconds;
        QVERIFY2(slower > 1.05 && slower < 1.25, qPrintable(QString::number(slower)));
    }
};

TRAINSCOPE_TEST(tst_PowerSweep)
#include "tst_PowerSweep.moc"
