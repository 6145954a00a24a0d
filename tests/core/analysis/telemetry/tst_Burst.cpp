#include <QtTest>

#include "core/analysis/telemetry/Burstiness.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

const double kNone = std::nan("");

UniformSeries signal(std::vector<double> values) {
    return {{1000}, {500'000'000}, std::move(values)}; // 0.5 s
}

} // namespace

class tst_Burst : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ratiosAndRamps() {
        const auto burst = burstOf(signal({100, 100, 400, 200}));
        QVERIFY(burst.has_value());
        QCOMPARE(burst->peakToMean, 2.0); // 400 / 200
        QCOMPARE(burst->p99ToP50, 4.0);
        QCOMPARE(burst->peakAt.ns, std::int64_t{1'000'001'000});
        QCOMPARE(*burst->maxRampPerS, 600.0); // 300 W in 0.5 s
        QCOMPARE(burst->maxRampAt.ns, std::int64_t{1'000'001'000});
    }
    void aFallIsARampToo() { QCOMPARE(*burstOf(signal({100, 500, 50}))->maxRampPerS, 900.0); }
    // The first pair of steps is as steep as any, 0.5 s behind the begin.
    void constantPowerHasItsRampInTheRecord() {
        const auto burst = burstOf(signal({100, 100, 100}));
        QCOMPARE(*burst->maxRampPerS, 0.0);
        QCOMPARE(burst->maxRampAt.ns, std::int64_t{500'001'000});
    }
    void noRampAcrossAHole() {
        const auto burst = burstOf(signal({100, kNone, 900, 800}));
        QCOMPARE(*burst->maxRampPerS, 200.0);
        QCOMPARE(burst->peakToMean, 1.5); // 900 / 600
    }
    void noNeighboursNoRamp() {
        QVERIFY(!burstOf(signal({400, kNone, 500}))->maxRampPerS);
        QVERIFY(!burstOf(signal({400}))->maxRampPerS);
    }
    void nothingIsAbsent() {
        QVERIFY(!burstOf(signal({})));
        QVERIFY(!burstOf(signal({kNone, kNone})));
        QVERIFY(!burstOf(signal({0, 0})));
    }
    void excursions() {
        const auto found = excursionsAbove(signal({5, 11, 12, 10, 11, kNone, 11, 3}), 10.0);
        QCOMPARE(found.count, std::int64_t{3});
        QCOMPARE(found.seconds, 2.0);
        QCOMPARE(found.longestSeconds, 1.0);
    }
};

TRAINSCOPE_TEST(tst_Burst)
#include "tst_Burst.moc"
