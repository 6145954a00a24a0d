// Series on equal steps: rates of counters, how old a step is, and what several have in common.

#include "core/store/Fixture.h"

#include "core/analysis/telemetry/UniformSeries.h"
#include "support/TestProgram.h"

#include <QObject>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kEach = 1'000'000'000; // between two samples

std::vector<std::int64_t> everySecond(std::size_t count) {
    std::vector<std::int64_t> at;
    for (std::size_t i = 0; i < count; ++i)
        at.push_back(static_cast<std::int64_t>(i) * kEach);
    return at;
}

UniformSeries onItsGrid(const Store& store) {
    const auto series = got(store.series(got(store.findRun("run")).id));
    return got(resample(store, series.front(), gridOf(series, 1000)));
}

Series recorded(std::int64_t fromS, std::int64_t toS) {
    Series series;
    series.range = {{fromS * kEach}, {toS * kEach + 1}};
    return series;
}

} // namespace

class tst_UniformSeries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 100, 200, over the wrap at 2³² 6 + 44 = 50, and 0 bytes in a second each.
    void aCounterIsItsRate() {
        const Fixture fixture;
        auto store = fixture.create();
        const double high = 4294967296.0 - 6.0;
        addSeries(store, counter("pcie_rx", 0, 32), everySecond(5),
            {high - 300.0, high - 200.0, high, 44.0, 44.0});
        const UniformSeries rate = onItsGrid(store);
        QCOMPARE(rate.values.size(), std::size_t{5});
        QCOMPARE(rate.values[0], 100.0);
        QCOMPARE(rate.values[1], 200.0);
        QCOMPARE(rate.values[2], 50.0);
        QCOMPARE(rate.values[3], 0.0);
        QCOMPARE(rate.age.ns, std::int64_t{0});
    }

    void aGaugeIsHalfASamplingPeriodOld() {
        const Fixture fixture;
        auto store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), everySecond(5), {1, 2, 3, 4, 5});
        const UniformSeries held = onItsGrid(store);
        QCOMPARE(held.values.front(), 1.0);
        QCOMPARE(held.age.ns, kEach / 2);
    }

    // 100 s, 95 s and 4 s: the last is left out, with it they have 4 s in common.
    void oneThatBrokeOff() {
        const std::vector<Series> all{recorded(0, 100), recorded(5, 100), recorded(0, 4)};
        const auto whole = recordedThroughout(all);
        QCOMPARE(whole.size(), std::size_t{2});
        QVERIFY(haveMostInCommon(whole));
        QVERIFY(!haveMostInCommon(all));
        QVERIFY(!haveMostInCommon(all, {{0}, {50 * kEach}}));
        // In the window from 0 to 4 s the first and the last have all in common.
        QVERIFY(haveMostInCommon(std::vector<Series>{all[0], all[2]}, {{0}, {4 * kEach}}));
    }
};

TRAINSCOPE_TEST(tst_UniformSeries)
#include "tst_UniformSeries.moc"
