// Sensors that are read more often than they measure, and those of which nothing can be said.

#include <QtTest>

#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

#include <cmath>
#include <functional>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

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

class tst_SensorProbe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theUpdatePeriodIsFound_data() {
        QTest::addColumn<double>("sampling");
        QTest::addColumn<double>("update");
        QTest::addColumn<double>("jitter");
        QTest::addColumn<bool>("isRounded");
        QTest::newRow("100 ms read every 20 ms") << 0.02 << 0.1 << 0.0 << false;
        QTest::newRow("not a multiple") << 0.03 << 0.1 << 0.1 << false;
        QTest::newRow("1 s read every 100 ms") << 0.1 << 1.0 << 0.2 << false;
        QTest::newRow("whole watts") << 0.02 << 0.1 << 0.1 << true;
        QTest::newRow("twice") << 0.05 << 0.1 << 0.05 << false;
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

TRAINSCOPE_TEST(tst_SensorProbe)
#include "tst_SensorProbe.moc"
