#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Metric.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

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

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr double kPowerCap = 0x4;

SeriesDescription known(const char* name, int rank) {
    SeriesDescription description;
    description.metric = *findMetric(name);
    description.subject.rank = rank;
    return description;
}

std::vector<std::int64_t> seconds(int count) {
    std::vector<std::int64_t> all;
    for (int i = 0; i < count; ++i)
        all.push_back(i * kSecondNs);
    return all;
}

// A GPU that is busy all the time, with a reading each second.
void addGpu(Store& store, int rank, const std::vector<double>& clocks,
    const std::vector<double>& reasons = {}) {
    const auto source = [rank](const char* name) { return "/data/" + std::to_string(rank) + name; };
    const auto times = seconds(static_cast<int>(clocks.size()));
    addSeries(store, known("sm_clock", rank), times, clocks, source("clock"));
    addSeries(store, known("gpu_utilization", rank), times, std::vector<double>(clocks.size(), 1.0),
        source("busy"));
    if (!reasons.empty())
        addSeries(store, known("throttle_reasons", rank), seconds(static_cast<int>(reasons.size())),
            reasons, source("reasons"));
}

Throttling found(const Store& store, TimeRange window = kAllTime) {
    const auto all = got(throttlingOf({store, got(store.findRun("run"))}, window));
    if (!all)
        throw std::runtime_error("no throttling is known");
    return *all;
}

bool isNear(double value, double expected) {
    return std::abs(value - expected) < 1e-9;
}

// Read every `sampling` seconds (displaced by `jitter` of it); a new value every `update` seconds.
UpdatePeriod probed(double sampling, double update, double jitter, unsigned seed,
    const std::function<double(std::int64_t, std::mt19937&)>& value) {
    std::mt19937 random(seed);
    std::mt19937 values(seed + 1);
    std::uniform_real_distribution<double> shift(-jitter, jitter);
    UpdateProbe probe;
    std::int64_t measured = -1;
    double now = 0.0;
    for (int i = 0; i < 6000; ++i) {
        const double t = sampling * (i + shift(random)) + 1.0;
        for (; static_cast<double>(measured + 1) * update <= t; ++measured)
            now = value(measured + 1, values);
        const TimeNs time{std::llround(t * 1e9)};
        probe.add(std::span(&time, 1), std::span(&now, 1));
    }
    return probe.result({std::llround(sampling * 1e9)});
}

double noisy(std::int64_t, std::mt19937& random) {
    return std::round(std::normal_distribution<double>(500.0, 20.0)(random) * 1000.0) / 1000.0;
}

// Whole watts: neighbours are equal now and then.
double rounded(std::int64_t, std::mt19937& random) {
    return std::round(std::normal_distribution<double>(500.0, 3.0)(random));
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

    // Throttling as the driver's reasons tell it, beside the clock that is lost.

    // NVML's bits, each alone.
    void whichReasonsThrottle() {
        for (const std::uint64_t bit : {0x1U, 0x2U, 0x10U, 0x100U, 0x200U})
            QVERIFY(!throttleCauseOf(bit));
        QVERIFY(!throttleCauseOf(0));
        QVERIFY(throttleCauseOf(0x4) == ThrottleCause::Power);
        QVERIFY(throttleCauseOf(0x80) == ThrottleCause::Power);
        QVERIFY(throttleCauseOf(0x20) == ThrottleCause::Thermal);
        QVERIFY(throttleCauseOf(0x40) == ThrottleCause::Thermal);
        QVERIFY(throttleCauseOf(0x8) == ThrottleCause::Other);
        QVERIFY(throttleCauseOf(0x8 | 0x40) == ThrottleCause::Thermal);
        QVERIFY(throttleCauseOf(0x1 | 0x4) == ThrottleCause::Power);
    }

    // 0 to 1 s free, to 2 s a cap, to 4 s a cap at a low clock, to 5 s hot, to 6 s not read, to 7 s
    // idle; the last reading holds for no time. The window begins in the cap's first second.
    void byHand() {
        FreshStore store;
        std::vector<double> clocks(60, 2e9);
        clocks[2] = clocks[3] = 1.5e9;
        addGpu(store, 0, clocks, {0, 4, 4, 4, 0x40, kMissing, 1, 4});
        const Throttling all = found(store, {{kSecondNs * 3 / 2}, {10 * kSecondNs}});
        QCOMPARE(all.episodes.size(), std::size_t{2});
        const ThrottleEpisode& cap = all.episodes[0].episode;
        QVERIFY(cap.range == (TimeRange{{kSecondNs * 3 / 2}, {4 * kSecondNs}}));
        QVERIFY(cap.cause == ThrottleCause::Power);
        QVERIFY(isNear(cap.lostSeconds, 2.0 * 0.25));
        const ThrottleEpisode& hot = all.episodes[1].episode;
        QVERIFY(hot.range == (TimeRange{{4 * kSecondNs}, {5 * kSecondNs}}));
        QVERIFY(hot.cause == ThrottleCause::Thermal);
        const std::vector<TimeRange> read{
            {{kSecondNs * 3 / 2}, {5 * kSecondNs}}, {{6 * kSecondNs}, {7 * kSecondNs}}};
        QVERIFY(all.observed == read);
        QVERIFY(isNear(all.fraction, 3.5 / 4.5));
        QVERIFY(isNear(all.shareOf(ThrottleCause::Thermal), 1.0 / 4.5));
        QVERIFY(all.mainCause() == ThrottleCause::Power);
    }

    // The driver reports a cap in 3 of 8 s; the clock is low in two others, by a quarter.
    void theFlagIsThrottlingAndTheClockIsAnother() {
        FreshStore store;
        addGpu(store, 0, {2e9, 2e9, 1.5e9, 1.5e9, 2e9, 2e9, 2e9, 2e9, 2e9},
            {0, 0, 0, 0, 4, 4, 4, 1, 0});
        const Throttling all = found(store);
        QVERIFY(all.basis == ThrottleBasis::Reasons);
        QVERIFY(isNear(all.fraction, 3.0 / 8.0));
        QVERIFY(isNear(all.gpus.at(0).fraction(), 3.0 / 8.0));
        QVERIFY(isNear(all.shareOf(ThrottleCause::Power), 3.0 / 8.0));
        QCOMPARE(all.causes.size(), std::size_t{1});
        QVERIFY(isNear(all.causes.at(ThrottleCause::Power).gpuSeconds, 3.0));
        QCOMPARE(all.causes.at(ThrottleCause::Power).lostGpuSeconds, 0.0);
        QVERIFY(isNear(all.clockLost.value().gpuSeconds, 2.0 * 0.25));
        QVERIFY(isNear(all.clockLost->fraction, 0.5 / 8.0));
        QCOMPARE(all.clockLost->episodes.size(), std::size_t{1});
        // Without reasons the same clocks are all there is.
        const Fixture other;
        auto silent = other.create();
        addGpu(silent, 0, {2e9, 2e9, 1.5e9, 1.5e9, 2e9, 2e9, 2e9, 2e9, 2e9});
        const Throttling clocks = found(silent);
        QVERIFY(clocks.basis == ThrottleBasis::Clocks);
        QVERIFY(isNear(clocks.fraction, 2.0 / 8.0));
        QVERIFY(isNear(clocks.clockLost.value().fraction, 0.5 / 8.0));
    }

    void oneReadingLosesNothing() {
        FreshStore store;
        addGpu(store, 0, {2e9});
        QCOMPARE(found(store).clockLost.value().fraction, 0.0);
    }

    // Reasons of one GPU of two, and none for its second half: told of 4 s. Later clocks tell.
    void onlyWhatWasReadCounts() {
        FreshStore store;
        addGpu(store, 0, std::vector<double>(9, 2e9), {4, 0, 0, 0, kMissing, kMissing});
        addGpu(store, 1, {2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 1.5e9, 1.5e9, 2e9});
        const Throttling all = found(store);
        QVERIFY(isNear(all.fraction, 1.0 / 4.0));
        QVERIFY(!all.gpus.contains(1));
        QVERIFY(isNear(all.clockLost.value().fraction, 0.5 / 16.0));
        const Throttling late = found(store, {{5 * kSecondNs}, {8 * kSecondNs}});
        QVERIFY(late.basis == ThrottleBasis::Clocks);
        QVERIFY(isNear(late.fraction, 2.0 / 6.0));
    }

    // A GPU read for 8 s throttles 2 of them, one read for 4 s all of them: each counts as much.
    void gpusReadForUnequalTimes() {
        FreshStore store;
        addGpu(store, 0, std::vector<double>(9, 2e9), {4, 4, 0, 0, 0, 0, 0, 0, 0});
        addGpu(store, 1, std::vector<double>(9, 2e9), {4, 4, 4, 4, kMissing, kMissing});
        const Throttling all = found(store);
        QVERIFY(isNear(all.gpus.at(0).fraction(), 2.0 / 8.0));
        QVERIFY(isNear(all.gpus.at(1).fraction(), 1.0));
        QVERIFY(isNear(all.fraction, 0.625));
        QVERIFY(isNear(all.shareOf(ThrottleCause::Power), 0.625));
    }

    void reasonsNeedNoClock() {
        FreshStore store;
        addSeries(store, known("throttle_reasons", 0), seconds(5), {0, kPowerCap, 0, 0, 0});
        const Throttling all = found(store);
        QVERIFY(isNear(all.fraction, 1.0 / 4.0));
        QVERIFY(!all.clockLost);
    }

    // The same share of the same time as the summary tells under the reason's name.
    void theFlagAgreesWithTheSharesOfReasons() {
        std::mt19937_64 random(4);
        FreshStore store;
        std::vector<std::int64_t> times;
        std::vector<double> reasons;
        std::int64_t at = 0;
        for (int i = 0; i < 3000; ++i) {
            times.push_back(at);
            at += 1 + static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 9'000 : 20));
            const auto dice = random() % 10;
            reasons.push_back(dice == 0 ? kMissing : dice < 4 ? kPowerCap : dice < 6 ? 1.0 : 0.0);
        }
        addSeries(store, known("throttle_reasons", 0), times, reasons);
        const Run run = got(store.findRun("run"));
        for (int trial = 0; trial < 40; ++trial) {
            const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(at));
            const TimeRange window = trial == 0
                ? kAllTime
                : TimeRange{{begin}, {begin + 1 + static_cast<std::int64_t>(random() % 9'000)}};
            const auto summary = got(summarise({store, run}, window));
            const auto& shares = summary.metrics.at("throttle_reasons").all.shares;
            const auto all = got(throttlingOf({store, run}, window));
            if (shares.empty())
                QVERIFY(!all);
            if (!all)
                continue;
            const auto share = shares.find("sw_power_cap");
            QVERIFY(isNear(all->fraction, share == shares.end() ? 0.0 : share->second));
        }
    }

    // Times and masks that no integer holds: no reading, and no hole that is shorter than one.
    void readingsBeyondWhatIntegersHold() {
        FreshStore store;
        const std::vector<std::int64_t> times{0, 1'790'000'000 * kSecondNs};
        addSeries(store, known("sm_clock", 0), times, {1e9, 2e9}, "/data/clock");
        addSeries(store, known("gpu_utilization", 0), times, {1.0, 1.0}, "/data/busy");
        QVERIFY(found(store).basis == ThrottleBasis::Clocks);
        addSeries(store, known("throttle_reasons", 1), seconds(4),
            {18446744073709551616.0, 1e300, 4.0, 0.0}, "/data/reasons");
        const Throttling all = found(store);
        QVERIFY(isNear(all.gpus.at(1).ofSeconds, 1.0));
        QVERIFY(isNear(all.fraction, 1.0));
    }

    // Sensors that are read more often than they measure, and those of which nothing can be said.
    void theUpdatePeriodIsFound_data() {
        const auto row
            = columns<double, double, double, bool>("sampling", "update", "jitter", "isRounded");
        row("100 ms read every 20 ms", 0.02, 0.1, 0.0, false);
        row("not a multiple", 0.03, 0.1, 0.1, false);
        row("1 s read every 100 ms", 0.1, 1.0, 0.2, false);
        row("whole watts", 0.02, 0.1, 0.1, true);
        row("twice", 0.05, 0.1, 0.05, false);
    }

    void theUpdatePeriodIsFound() {
        QFETCH(double, sampling);
        QFETCH(double, update);
        QFETCH(double, jitter);
        QFETCH(bool, isRounded);
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const auto found = probed(sampling, update, jitter, seed, isRounded ? rounded : noisy);
            QVERIFY(found.seconds.has_value());
            QVERIFY(!found.isAtMost);
            QVERIFY2(std::abs(*found.seconds - update) <= 3.0 * found.errorS + 0.02 * update,
                qPrintable(QString::number(*found.seconds)));
        }
    }

    void newAtEveryReading() {
        const auto found = probed(0.1, 0.05, 0.0, 1, noisy);
        QVERIFY(found.isAtMost);
        QCOMPARE(*found.seconds, 0.1);
    }

    // One reading has no period, whatever the range of a moment is.
    void oneReadingHasNoPeriod() {
        test::FreshStore store;
        test::addSeries(store, test::gauge("gpu_power", 0), {5}, {100.0});
        const auto series = test::got(store.series(test::got(store.findRun("run")).id));
        QCOMPARE(samplingPeriod(series.front()).ns, std::int64_t{0});
        const auto sensors = test::got(probeSensors(store, series));
        QCOMPARE(sensors.size(), std::size_t{1});
        QVERIFY(!sensors[0].samplingPeriodS);
        QCOMPARE(sensors[0].wording,
            std::string("kind not known, sampling period not known, update period not known"));
    }

    // Work that changes every second between a few levels looks like a slow sensor, but for its
    // values.
    void aFewLevelsAreNotCertain() {
        QVERIFY(probed(0.1, 1.0, 0.0, 1, noisy).isCertain);
        const auto levels
            = [](std::int64_t i, std::mt19937&) { return 100.0 * static_cast<double>(i % 5); };
        QVERIFY(!probed(0.1, 1.0, 0.0, 1, levels).isCertain);
    }

    // Temperatures in whole degrees and idle plateaus: stretches of any length.
    void plateausSayNothing() {
        const auto wander = [](std::int64_t i, std::mt19937&) {
            const auto t = static_cast<double>(i);
            return std::round(60.0 + 8.0 * std::sin(0.011 * t) + 3.0 * std::sin(0.037 * t));
        };
        QVERIFY(!probed(0.1, 0.1, 0.1, 1, wander).seconds);
        const auto constant = [](std::int64_t, std::mt19937&) { return 70.0; };
        QVERIFY(!probed(0.1, 0.1, 0.1, 1, constant).seconds);
    }
};

TRAINSCOPE_TEST(tst_ThrottleDetector)
#include "tst_ThrottleDetector.moc"
