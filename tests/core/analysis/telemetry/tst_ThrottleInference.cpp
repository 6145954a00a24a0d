// Limits that throttled samples show: a planted power cap, a planted temperature at which clocks
// give way, and what looks like neither.

#include <QtTest>

#include "core/analysis/telemetry/ThrottleInference.h"
#include "core/analysis/telemetry/Throttling.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

constexpr double kTopClock = 1.98e9;

// Between −1 and 1, the same in every run of the test.
double noise(int i) {
    const double x = std::sin(12.9898 * i) * 43758.5453;
    return 2.0 * (x - std::floor(x)) - 1.0;
}

GpuMoment moment(double clockHz, double celsius, double watts) {
    return {{}, clockHz, 1.0, celsius, watts, std::nullopt};
}

// Phases of 500 W, at which clocks fall by 5 to 15 %, and of 300 W at full clock.
ThrottleEvidence capped(double deviationW) {
    ThrottleEvidence evidence(kTopClock);
    for (int i = 0; i < 2000; ++i) {
        const bool isHeavy = i % 50 < 30;
        const double watts = (isHeavy ? 500.0 : 300.0) + deviationW * noise(i);
        const double clock = isHeavy ? 0.90 + 0.05 * noise(7 * i) : 1.0;
        evidence.add(moment(clock * kTopClock, 62.0 + 3.0 * noise(3 * i), watts));
    }
    return evidence;
}

} // namespace

class tst_ThrottleInference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPowerCapIsAPlateau() {
        const auto found = capped(6.0);
        QVERIFY(found.powerPlateauW().has_value());
        QVERIFY(std::abs(*found.powerPlateauW() - 500.0) <= 3.0);
        QVERIFY(!found.giveWayTemperatureC());
    }

    void noCapWherePowerIsSpread() { QVERIFY(!capped(150.0).powerPlateauW()); }

    // The same power, throttled or not, says nothing.
    void noCapWhereOthersDrawAsMuch() {
        ThrottleEvidence evidence(kTopClock);
        for (int i = 0; i < 2000; ++i) {
            const double clock = i % 50 < 10 ? 0.85 + 0.02 * noise(i) : 1.0;
            evidence.add(moment(clock * kTopClock, 60.0, 500.0 + 3.0 * noise(5 * i)));
        }
        // Every fifth sample throttles on the plateau, none is below it.
        QVERIFY(!evidence.powerPlateauW());
    }

    void noCapOfALockedClock() {
        ThrottleEvidence evidence(kTopClock);
        for (int i = 0; i < 2000; ++i) {
            const bool isHeavy = i % 50 < 30;
            evidence.add(moment(
                isHeavy ? 1.5e9 : kTopClock, 60.0, (isHeavy ? 500.0 : 300.0) + 3.0 * noise(i)));
        }
        QVERIFY(!evidence.powerPlateauW());
    }

    // The temperature swings by ±6 °C about 80 °C; at 83 °C clocks fall, and power with them.
    void theTemperatureAtWhichClocksGiveWay() {
        ThrottleEvidence evidence(kTopClock);
        for (int i = 0; i < 4000; ++i) {
            const double celsius
                = std::round(80.0 + 6.0 * std::sin(2.0 * std::numbers::pi * i / 400.0));
            const bool isHot = celsius >= 83.0;
            const double clock = isHot ? 0.88 + 0.04 * noise(i) : 1.0;
            evidence.add(
                moment(clock * kTopClock, celsius, (isHot ? 560.0 : 640.0) + 20.0 * noise(i)));
        }
        QCOMPARE(evidence.giveWayTemperatureC(), std::optional(83.0));
        QVERIFY(!evidence.powerPlateauW());
    }

    void noGiveWayWhereOthersStayFastAsHot() {
        ThrottleEvidence evidence(kTopClock);
        for (int i = 0; i < 4000; ++i) {
            const double celsius
                = std::round(80.0 + 6.0 * std::sin(2.0 * std::numbers::pi * i / 400.0));
            const double clock = celsius >= 83.0 && i < 1500 ? 0.88 : 1.0;
            evidence.add(moment(clock * kTopClock, celsius, 600.0));
        }
        QVERIFY(!evidence.giveWayTemperatureC());
    }

    // An H100 SXM has 700 W, unless the launch lowered it, or the source recorded another limit.
    void theLimitThatTheLaunchSays() {
        Run run;
        run.gpuModel = "NVIDIA H100 80GB HBM3";
        GpuSeries gpu;
        QCOMPARE(powerLimitOf(run, gpu)->watts, 700.0);
        run.launch.powerLimitW = 400;
        QCOMPARE(powerLimitOf(run, gpu)->watts, 400.0);
        QCOMPARE(powerLimitOf(run, gpu)->origin, std::string("launch"));
        gpu[metric::kPowerLimit].count = 1;
        gpu[metric::kPowerLimit].mean = 500.0;
        QCOMPARE(powerLimitOf(run, gpu)->watts, 500.0);
        QCOMPARE(powerLimitOf(run, gpu)->origin, std::string("recorded"));
    }

    void evidenceOfSeveralGpusAddsUp() {
        ThrottleEvidence all(kTopClock);
        all.add(capped(6.0));
        all.add(capped(5.0));
        QVERIFY(std::abs(all.powerPlateauW().value() - 500.0) <= 3.0);
    }
};

TRAINSCOPE_TEST(tst_ThrottleInference)
#include "tst_ThrottleInference.moc"
