#include "core/analysis/telemetry/ThrottleInference.h"
#include "core/analysis/telemetry/Throttling.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

constexpr std::int64_t kPeriod = 100'000'000; // 0.1 s
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

ThrottleLimits limits() {
    return {1.98e9, 87.0, 700.0, 10 * kPeriod};
}

// Samples every 0.1 s from t = 0.
std::vector<ThrottleEpisode> episodesOf(
    const std::vector<GpuMoment>& moments, const ThrottleLimits& given = limits()) {
    ThrottleDetector detector(given);
    std::int64_t i = 0;
    for (GpuMoment moment : moments) {
        moment.time = {kPeriod * i++};
        detector.add(moment);
    }
    return detector.finish();
}

GpuMoment clock(double ghz, double utilization = 1.0) {
    return {{}, ghz * 1e9, utilization, 60.0, 400.0, std::nullopt};
}

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

class tst_ThrottleDetector : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 97 % of 1.98 GHz is 1.9206 GHz.
    void anEpisodeLastsUntilTheFirstSampleThatIsNotThrottled() {
        const auto found = episodesOf(
            {clock(1.98), clock(1.7), clock(1.65), clock(1.92), clock(1.93), clock(1.98)});
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].range.begin.ns, kPeriod);
        QCOMPARE(found[0].range.end.ns, 4 * kPeriod);
        QCOMPARE(found[0].samples, std::int64_t{3});
        // 0.1 s × (3 − (1.7 + 1.65 + 1.92) / 1.98)
        QVERIFY(std::abs(found[0].lostSeconds - 0.1 * (3.0 - 5.27 / 1.98)) < 1e-12);
    }

    void oneSampleIsNoEpisode() {
        QVERIFY(
            episodesOf({clock(1.98), clock(1.2), clock(1.98), clock(1.2), clock(1.98)}).empty());
    }

    void anIdleGpuDoesNotThrottle() {
        QVERIFY(episodesOf({clock(1.2, 0.4), clock(1.2, 0.49), clock(1.2, 0.0)}).empty());
        QVERIFY(
            episodesOf({clock(1.2, kUnknown), clock(1.2, kUnknown), clock(1.2, kUnknown)}).empty());
        QCOMPARE(
            episodesOf({clock(1.2, 0.5), clock(1.2, 0.5), clock(1.98)}).size(), std::size_t{1});
    }

    void anEpisodeEndsAtItsLastSampleBeforeAHole() {
        ThrottleDetector detector(limits());
        for (const std::int64_t step : {0, 1, 2, 14, 15, 16}) {
            GpuMoment moment = clock(1.5);
            moment.time = {step * kPeriod};
            detector.add(moment);
        }
        const auto found = detector.finish();
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].range.end.ns, 2 * kPeriod);
        QCOMPARE(found[1].range.begin.ns, 14 * kPeriod);
        QCOMPARE(found[1].range.end.ns, 16 * kPeriod);
    }

    void aMissingClockEndsAnEpisode() {
        const auto found
            = episodesOf({clock(1.5), clock(1.5), clock(kUnknown), clock(1.5), clock(1.5)});
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].range.end.ns, kPeriod);
        QCOMPARE(found[1].range.begin.ns, 3 * kPeriod);
    }

    void causes_data() {
        // reasons: -1: not known
        const auto row = test::columns<double, double, int, QByteArray>(
            "temperature", "power", "reasons", "cause");
        row("hot", 84.0, 400.0, -1, "thermal");
        row("almost hot", 83.9, 400.0, -1, "other");
        row("at the limit", 60.0, 679.0, -1, "power");
        row("below the limit", 60.0, 678.0, -1, "other");
        row("hot and at the limit", 86.0, 700.0, -1, "thermal");
        row("hardware says hot", 60.0, 400.0, 0x40, "thermal");
        row("software says hot", 60.0, 400.0, 0x20, "thermal");
        row("power cap", 60.0, 400.0, 0x4, "power");
        row("power brake", 60.0, 400.0, 0x80, "power");
        row("idle reason", 60.0, 400.0, 0x1, "other");
        row("nothing known", kUnknown, kUnknown, -1, "other");
    }
    void causes() {
        QFETCH(const double, temperature);
        QFETCH(const double, power);
        QFETCH(const int, reasons);
        QFETCH(const QByteArray, cause);
        GpuMoment moment{{}, 1.5e9, 1.0, temperature, power, std::nullopt};
        if (reasons >= 0)
            moment.reasons = static_cast<std::uint64_t>(reasons);
        const auto found = episodesOf({moment, moment, clock(1.98)});
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(QByteArray(toString(found[0].cause).data()), cause);
    }

    void theCauseIsWhatHeldLongest() {
        GpuMoment hot = clock(1.5);
        hot.temperatureC = 86.0;
        const auto found = episodesOf({hot, clock(1.5), clock(1.5), clock(1.98)});
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found[0].cause == ThrottleCause::Other);
    }

    // From 0.15 to 0.35 s of an episode from 0 to 0.5 s: all of the window, at 1.5 of 1.98 GHz.
    void aWindowHasWhatLiesInIt() {
        const TimeRange window{{3 * kPeriod / 2}, {7 * kPeriod / 2}};
        const auto inside = [&window](const std::vector<double>& ghz) {
            ThrottleDetector detector(limits(), window);
            std::int64_t i = 0;
            for (const double one : ghz) {
                GpuMoment moment = clock(one);
                moment.time = {kPeriod * i++};
                detector.add(moment);
            }
            return detector.finish();
        };
        const auto all = inside({1.5, 1.5, 1.5, 1.5, 1.5, 1.98});
        QCOMPARE(all.size(), std::size_t{1});
        QVERIFY(all[0].range == window);
        QVERIFY(std::abs(all[0].lostSeconds - 0.2 * (1.0 - 1.5 / 1.98)) < 1e-12);
        // One sample of two lies inside.
        const auto late = inside({1.98, 1.98, 1.98, 1.5, 1.5, 1.98});
        QCOMPARE(late.size(), std::size_t{1});
        QCOMPARE(late[0].range.begin.ns, 3 * kPeriod);
        QVERIFY(late[0].range.end == window.end);
        QVERIFY(inside({1.5, 1.5, 1.98, 1.98, 1.98, 1.98}).size() == 1); // until 0.2 s
        QVERIFY(inside({1.98, 1.98, 1.98, 1.98, 1.5, 1.5}).empty());
    }

    void withoutLimitsTheCauseIsNotGuessed() {
        GpuMoment hot = clock(1.5);
        hot.temperatureC = 95.0;
        hot.powerW = 900.0;
        const auto found = episodesOf({hot, hot, hot}, {1.98e9, {}, {}, 10 * kPeriod});
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found[0].cause == ThrottleCause::Other);
    }

    // Limits that throttled samples show: a planted power cap, a planted temperature at which
    // clocks give way, and what looks like neither.
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

TRAINSCOPE_TEST(tst_ThrottleDetector)
#include "tst_ThrottleDetector.moc"
