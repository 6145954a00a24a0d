// Throttling as the driver's reasons tell it, beside the clock that is lost.

#include "core/analysis/statistics/Summary.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/Throttling.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/model/Metric.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

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

class tst_DriverReasons : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        const Fixture fixture;
        auto store = fixture.create();
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
        const Fixture fixture;
        auto store = fixture.create();
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

    // Reasons of one GPU of two, and none for its second half: told of 4 s. Later clocks tell.
    void onlyWhatWasReadCounts() {
        const Fixture fixture;
        auto store = fixture.create();
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
        const Fixture fixture;
        auto store = fixture.create();
        addGpu(store, 0, std::vector<double>(9, 2e9), {4, 4, 0, 0, 0, 0, 0, 0, 0});
        addGpu(store, 1, std::vector<double>(9, 2e9), {4, 4, 4, 4, kMissing, kMissing});
        const Throttling all = found(store);
        QVERIFY(isNear(all.gpus.at(0).fraction(), 2.0 / 8.0));
        QVERIFY(isNear(all.gpus.at(1).fraction(), 1.0));
        QVERIFY(isNear(all.fraction, 0.625));
        QVERIFY(isNear(all.shareOf(ThrottleCause::Power), 0.625));
    }

    void reasonsNeedNoClock() {
        const Fixture fixture;
        auto store = fixture.create();
        addSeries(store, known("throttle_reasons", 0), seconds(5), {0, kPowerCap, 0, 0, 0});
        const Throttling all = found(store);
        QVERIFY(isNear(all.fraction, 1.0 / 4.0));
        QVERIFY(!all.clockLost);
    }

    // The same share of the same time as the summary tells under the reason's name.
    void theFlagAgreesWithTheSharesOfReasons() {
        std::mt19937_64 random(4);
        const Fixture fixture;
        auto store = fixture.create();
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
        const Fixture fixture;
        auto store = fixture.create();
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
        const test::Fixture fixture;
        auto store = fixture.create();
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

TRAINSCOPE_TEST(tst_DriverReasons)
#include "tst_DriverReasons.moc"
