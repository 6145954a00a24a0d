// Predicted power of a step, against what the sensors of its run show.

#include <QtTest>

#include "core/predict/prediction/StepTelemetry.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

struct Shown {
    double watts = 0.0; // mean of all GPUs and samples
    double busyHz = 0.0; // samples without a wait
};

// Two steps of 400 samples each; sensors that show the period before, as they measure it.
Shown shownOf(const Job& job, const Prediction& made) {
    PlayedSteps played;
    played.steps = 2;
    played.periodSeconds = played.sensorSeconds = made.seconds / 400.0;
    played.isRounded = false;
    const auto telemetry = telemetryOf(job, made, played).value();
    Shown shown;
    double samples = 0.0;
    double busy = 0.0;
    for (const GpuSamples& gpu : telemetry.gpus) {
        for (std::size_t i = 1; i < gpu.watts.size(); ++i) { // the first is of before
            shown.watts += gpu.watts[i];
            samples += 1.0;
            if (gpu.utilization[i] < 0.999)
                continue;
            shown.busyHz += gpu.clockHz[i];
            busy += 1.0;
        }
    }
    shown.watts /= samples;
    shown.busyHz /= busy;
    return shown;
}

} // namespace

class tst_StepTelemetry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Products above the limit, what is recomputed among them, and work below it are of one pass,
    // whose mean the limiter sees. The rest: waits have the highest clock, rear GPUs leak more.
    void sensorsShowThePowerThatIsPredicted_data() {
        QTest::addColumn<int>("recompute");
        QTest::newRow("kept") << static_cast<int>(Recompute::None);
        QTest::newRow("recomputed") << static_cast<int>(Recompute::Full);
    }

    void sensorsShowThePowerThatIsPredicted() {
        QFETCH(int, recompute);
        Job job = test::catalogueJob("llama3-8b", "1x8xH100", "tp=2,pp=2", 32);
        job.recompute = static_cast<Recompute>(recompute);
        const Prediction made = Predictor().predict(job).value();
        QVERIFY(made.outlook.limit == ClockLimit::Power);
        const Shown shown = shownOf(job, made);
        QVERIFY2(std::abs(shown.watts / made.outlook.meanW - 1.0) < 0.01,
            qPrintable(QStringLiteral("%1 W, %2 W").arg(shown.watts).arg(made.outlook.meanW)));
        QVERIFY2(std::abs(shown.busyHz / made.outlook.clockHz - 1.0) < 0.01,
            qPrintable(QStringLiteral("%1, %2").arg(shown.busyHz).arg(made.outlook.clockHz)));
    }
};

TRAINSCOPE_TEST(tst_StepTelemetry)
#include "tst_StepTelemetry.moc"
