// Sensors of steps that nobody ran, against sums by hand.

#include "core/predict/power/Telemetry.h"
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

// Idle 100 W, products 300 W more, voltage as the clock, 0.1 K/W and 5 s, nothing leaks.
GpuPower plainGpu() {
    GpuPower gpu;
    gpu.limitW = 500.0;
    gpu.boostHz = 2e9;
    gpu.lowestHz = 0.2e9;
    gpu.parkedW = 100.0;
    gpu.idleW = 100.0;
    gpu.activeW[Activity::Gemm] = 300.0;
    gpu.clockBound[Activity::Gemm] = 1.0;
    gpu.voltage = {1.0, 0.0};
    gpu.leakage = 0.0;
    gpu.slowdownC = 200.0;
    gpu.thermal = {0.1, 5.0};
    return gpu;
}

layout::Cluster clusterOf(int gpus) {
    layout::Cluster cluster;
    cluster.nodes.push_back({0, 0, {}});
    for (int i = 0; i < gpus; ++i)
        cluster.nodes.front().gpus.push_back({i, i, i, i >= (gpus + 1) / 2, {}});
    return cluster;
}

// Steps of 1 s: products for 0.6 s of it.
TelemetryRequest request(int steps) {
    TelemetryRequest out;
    out.gpu = plainGpu();
    out.cluster = clusterOf(1);
    out.air = {20.0, 0.0};
    out.ranks = {{0, {{0.0, 0.6, Activity::Gemm}}, 64e9}};
    out.stepSeconds = 1.0;
    out.steps = steps;
    out.isRounded = false;
    return out;
}

bool isAbout(double a, double b, double within = 1e-6) {
    return std::abs(a - b) <= within * std::max(1.0, std::abs(b));
}

} // namespace

class tst_PredictedTelemetry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Ten steps of 100 J + 0.6·300 J, and 0.1 s of idle behind them.
    void energyIsThatOfTheWork() {
        const auto made = predictTelemetry(request(10)).value();
        const GpuSamples& gpu = made.gpus.front();
        QCOMPARE(gpu.watts.size(), std::size_t{101});
        QVERIFY(isAbout(gpu.joules, 10.0 * 280.0 + 10.0));
    }

    // Samples show the 0.1 s before them: the first six of a second are products alone.
    void sensorsShowTheTimeJustPassed() {
        const auto made = predictTelemetry(request(2));
        const GpuSamples& gpu = made.value().gpus.front();
        QVERIFY(isAbout(gpu.watts[0], 100.0));
        QVERIFY(isAbout(gpu.watts[6], 400.0));
        QVERIFY(isAbout(gpu.watts[7], 100.0));
        QVERIFY(isAbout(gpu.utilization[6], 1.0));
        QVERIFY(isAbout(gpu.utilization[7], 0.0));
        QVERIFY(isAbout(gpu.clockHz[6], 2e9));
    }

    void anAveragingSensorShowsTheMean() {
        TelemetryRequest asked = request(5);
        asked.sensorSeconds = 1.0;
        const auto made = predictTelemetry(asked);
        const GpuSamples& gpu = made.value().gpus.front();
        for (std::size_t i = 10; i <= 50; ++i) {
            QVERIFY(isAbout(gpu.watts[i], 280.0));
            QVERIFY(isAbout(gpu.utilization[i], 0.6));
        }
    }

    // From 30 °C (20 + 0.1·100) to 60 °C with 400 W: 60 − 30·e^(−t/5).
    void temperatureRisesExponentially() {
        TelemetryRequest asked = request(10);
        asked.ranks.front().step = {{0.0, 1.0, Activity::Gemm}};
        const auto made = predictTelemetry(asked);
        const GpuSamples& gpu = made.value().gpus.front();
        for (const std::size_t i : std::vector<std::size_t>{0, 10, 50, 100})
            QVERIFY(
                isAbout(gpu.celsius[i], 60.0 - 30.0 * std::exp(-0.02 * static_cast<double>(i))));
    }

    void settledRunsStartThere() {
        TelemetryRequest asked = request(3);
        asked.ranks.front().step = {{0.0, 1.0, Activity::Gemm}};
        asked.startsSettled = true;
        const auto made = predictTelemetry(asked);
        QVERIFY(isAbout(made.value().gpus.front().celsius.front(), 60.0));
        QVERIFY(isAbout(made.value().gpus.front().celsius.back(), 60.0));
    }

    // Half of the lowest clock, a tenth of the highest, is not gone to: 100 + 300·0.1³ W there.
    void noClockIsBelowTheLowest() {
        TelemetryRequest asked = request(2);
        asked.clockHz = 0.1e9;
        const auto made = predictTelemetry(asked);
        const GpuSamples& gpu = made.value().gpus.front();
        QVERIFY(isAbout(gpu.clockHz[6], 0.2e9));
        QVERIFY(isAbout(gpu.watts[6], 100.3));
    }

    // 100 + 300·φ³ is 250 W at φ³ = 1/2; who waits runs at the highest clock.
    void limitsAreKept() {
        TelemetryRequest asked = request(3);
        asked.limitW = 250.0;
        const auto made = predictTelemetry(asked);
        const GpuSamples& gpu = made.value().gpus.front();
        QVERIFY(*std::max_element(gpu.watts.begin(), gpu.watts.end()) <= 250.0 + 1e-6);
        QVERIFY(isAbout(gpu.watts[3], 250.0));
        QVERIFY(isAbout(gpu.clockHz[3], std::cbrt(0.5) * 2e9));
        QVERIFY(isAbout(gpu.clockHz[9], 2e9));
    }

    // Half of the time products, half an exchange that draws nothing: 100 + 300/2 = 250 W are
    // within 260 W, though the 400 W of products alone are not. If nothing has the other half,
    // it is a wait.
    void whatSharesASpanIsLimitedByItsMean() {
        TelemetryRequest asked = request(3);
        asked.limitW = 260.0;
        asked.ranks.front().step
            = {{0.0, 0.6, Activity::Gemm, 1.0, 0.5}, {0.0, 0.6, Activity::Communication, 1.0, 0.5}};
        const auto shared = predictTelemetry(asked);
        QVERIFY(isAbout(shared.value().gpus.front().watts[3], 250.0));
        QVERIFY(isAbout(shared.value().gpus.front().clockHz[3], 2e9));
        QVERIFY(isAbout(shared.value().gpus.front().utilization[3], 1.0));
        QVERIFY(isAbout(shared.value().gpus.front().watts[9], 100.0));
        asked.limitW.reset();
        asked.ranks.front().step.pop_back();
        const auto half = predictTelemetry(asked);
        QVERIFY(isAbout(half.value().gpus.front().watts[3], 250.0));
        QVERIFY(isAbout(half.value().gpus.front().utilization[3], 0.5));
    }

    void lockedClocksAreKept() {
        TelemetryRequest asked = request(2);
        asked.clockHz = 1e9;
        const auto made = predictTelemetry(asked);
        QVERIFY(isAbout(made.value().gpus.front().clockHz[3], 1e9));
        QVERIFY(isAbout(made.value().gpus.front().watts[3], 100.0 + 300.0 / 8.0));
    }

    // Slowdown at 50 °C, 40 K at 400 W in air of 20 °C: the clock gives way and temperatures stay
    // near.
    void heatLowersClocks() {
        TelemetryRequest asked = request(120);
        asked.gpu.slowdownC = 50.0;
        asked.ranks.front().step = {{0.0, 1.0, Activity::Gemm}};
        const auto made = predictTelemetry(asked);
        const GpuSamples& gpu = made.value().gpus.front();
        QVERIFY(gpu.clockHz.front() > 1.99e9);
        QVERIFY(gpu.clockHz[1100] < 1.9e9);
        QVERIFY(gpu.celsius[1100] > 50.0 && gpu.celsius[1100] < 53.0);
    }

    // The rear GPU stands in air that 400 W in front of it warm by 0.01 K each.
    void theRearIsHotter() {
        TelemetryRequest asked = request(2);
        asked.cluster = clusterOf(2);
        asked.air.risePerW = 0.01;
        asked.startsSettled = true;
        asked.ranks
            = {{0, {{0.0, 1.0, Activity::Gemm}}, 0.0}, {1, {{0.0, 1.0, Activity::Gemm}}, 0.0}};
        const auto made = predictTelemetry(asked);
        QVERIFY(isAbout(made.value().gpus[0].celsius.front(), 60.0));
        QVERIFY(isAbout(made.value().gpus[1].celsius.front(), 64.0));
    }

    void readingsAreRounded() {
        TelemetryRequest asked = request(2);
        asked.isRounded = true;
        asked.limitW = 250.0;
        const auto made = predictTelemetry(asked);
        const GpuSamples& gpu = made.value().gpus.front();
        for (std::size_t i = 0; i < gpu.watts.size(); ++i) {
            QCOMPARE(gpu.celsius[i], std::round(gpu.celsius[i]));
            QVERIFY(isAbout(std::remainder(gpu.clockHz[i], 15e6), 0.0, 1.0));
        }
    }

    void refusesWhatHasNoTime() {
        TelemetryRequest asked = request(0);
        QCOMPARE(predictTelemetry(asked).error().code, ErrorCode::Usage);
        asked = request(1);
        asked.periodSeconds = 1e-12;
        QCOMPARE(predictTelemetry(asked).error().code, ErrorCode::Usage);
    }

    void canBeCancelled() {
        const auto made = predictTelemetry(request(2), [](const ProgressState&) { return false; });
        QCOMPARE(made.error().code, ErrorCode::Cancelled);
    }

    void seriesHaveTheSamples() {
        const auto made = predictTelemetry(request(2));
        test::RecordingSink sink;
        const auto run = sink.run({});
        ImportReport report;
        QVERIFY(writeTelemetry(made.value(), TimeNs{1'000}, run.value(), sink, report).hasValue());
        QCOMPARE(report.samples, std::int64_t{5 * 21});
        const auto* power = sink.ofGpu("gpu_power", 0);
        QVERIFY(power != nullptr);
        QCOMPARE(power->times[3].ns, std::int64_t{300'001'000});
        QVERIFY(isAbout(power->values[3], 400.0));
        QVERIFY(isAbout(sink.ofGpu("mem_used", 0)->values[0], 64e9));
    }
};

TRAINSCOPE_TEST(tst_PredictedTelemetry)
#include "tst_PredictedTelemetry.moc"
