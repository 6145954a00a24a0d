// Energies between moments, by hand and against sums over small steps.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/energy/PowerIntegral.h"
#include "support/TestProgram.h"

#include <cmath>
#include <limits>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr double kNoReading = std::numeric_limits<double>::quiet_NaN();

EnergyPiece got(Result<EnergyPiece> piece) {
    if (!piece.hasValue())
        qFatal("%s", piece.error().describe().c_str());
    return piece.value();
}

} // namespace

class tst_PowerIntegral : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void byHand();
    void laterStamps();
    void neighboursSumToTheWhole_data();
    void neighboursSumToTheWhole();
    void samplingPeriod();
};

// 100 W at 0 s, 300 W at 1 s, missing at 2 s, 300 W at 3 s, then nothing until 100 s.
void tst_PowerIntegral::byHand() {
    PlantedTrace trace;
    const std::int64_t s = 1000 * kMs;
    trace.power(0, 0, 100.0);
    trace.power(0, s, 300.0);
    trace.power(0, 2 * s, kNoReading);
    trace.power(0, 3 * s, 300.0);
    trace.power(0, 100 * s, 500.0);
    const auto store = trace.store();
    const auto series = store.series(store.findRun("run").value().id).value().front();
    PowerIntegral power(store, series, 10e9, {{-5 * s}, {200 * s}});
    QCOMPARE(got(power.to({-1 * s})).joules, 0.0);
    const auto first = got(power.to({s / 2}));
    QCOMPARE(first.joules, 0.5 * (100.0 + 200.0) / 2.0);
    QCOMPARE(first.covered.ns, s / 2);
    QCOMPARE(got(power.to({s})).joules, 0.5 * (200.0 + 300.0) / 2.0);
    QCOMPARE(got(power.to({5 * s})).joules, 2.0 * 300.0); // over the missing one, not over the gap
    const auto last = got(power.to({150 * s}));
    QCOMPARE(last.joules, 0.0);
    QCOMPARE(last.covered.ns, 0);
    PowerIntegral inside(store, series, 10e9, {{s / 2}, {s}});
    QCOMPARE(got(inside.to({s})).joules, 125.0);
}

void tst_PowerIntegral::laterStamps() {
    PlantedTrace trace;
    trace.power(0, 100, 100.0);
    trace.power(0, 200, 300.0);
    const auto store = trace.store();
    const auto series = store.series(store.findRun("run").value().id).value().front();
    PowerIntegral power(store, series, 1e9, {{0}, {100}}, {100}); // what it shows happened 100 ago
    QCOMPARE(got(power.to({100})).joules, 200.0 * 100e-9);
}

void tst_PowerIntegral::neighboursSumToTheWhole_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 0; seed < 30; ++seed)
        QTest::addRow("%u", seed) << seed;
}

void tst_PowerIntegral::neighboursSumToTheWhole() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
    PlantedTrace trace;
    std::int64_t now = 0;
    std::vector<std::pair<std::int64_t, double>> known;
    for (int i = 0; i < 3'000; ++i) {
        now += below(50) == 0 ? 2'000 : below(100);
        const double watts = below(20) == 0 ? kNoReading : 50.0 + static_cast<double>(below(600));
        trace.power(0, now, watts);
        if (!std::isnan(watts))
            known.emplace_back(now, watts);
    }
    const auto store = trace.store();
    const auto series = store.series(store.findRun("run").value().id).value().front();
    const TimeRange window{{below(500)}, {now - below(500)}};
    constexpr double kLimit = 1'000.0;
    PowerIntegral whole(store, series, kLimit, window);
    PowerIntegral parts(store, series, kLimit, window);
    double sum = 0.0;
    DurationNs covered;
    for (TimeNs t = window.begin; t < window.end;) {
        t = std::min(window.end, t + DurationNs{1 + below(300)});
        const auto part = got(parts.to(t));
        sum += part.joules;
        covered = covered + part.covered;
    }
    const auto all = got(whole.to(window.end));
    QVERIFY(std::abs(sum - all.joules) < 1e-12 * all.joules);
    QCOMPARE(covered, all.covered);
    double expected = 0.0; // by the middle of each ns, between the neighbouring samples
    std::size_t right = 1;
    for (std::int64_t t = window.begin.ns; t < window.end.ns; ++t) {
        while (right < known.size() && known[right].first <= t)
            ++right;
        if (right >= known.size() || known[right - 1].first > t)
            continue;
        const auto [t0, w0] = known[right - 1];
        const auto [t1, w1] = known[right];
        const auto length = static_cast<double>(t1 - t0);
        if (length <= kLimit)
            expected += w0 + (w1 - w0) * (static_cast<double>(t - t0) + 0.5) / length;
    }
    QVERIFY(std::abs(all.joules - expected * 1e-9) < 1e-9 * all.joules);
}

// Read every 10 ms, updated every 50 ms; and a plateau of a second, which is no update period.
void tst_PowerIntegral::samplingPeriod() {
    PlantedTrace trace;
    for (int i = 0; i < 1'000; ++i) {
        trace.power(0, i * 10 * kMs, 100.0 + 7.0 * ((i / 5) % 11));
        trace.power(1, i * 10 * kMs, (i / 100) % 2 == 0 ? 100.0 : 400.0);
    }
    const auto store = trace.store();
    const auto all = store.series(store.findRun("run").value().id).value();
    const auto first = powerSamplingOf(store, all[0]);
    QVERIFY(first.hasValue() && first.value());
    QCOMPARE(first.value()->periodNs, 10e6);
    QCOMPARE(first.value()->gapLimitNs, 100e6);
    QCOMPARE(first.value()->updateNs, 50e6);
    QCOMPARE(first.value()->maxW, 170.0);
    QCOMPARE(powerSamplingOf(store, all[1]).value()->updateNs, 0.0);
}

TRAINSCOPE_TEST(tst_PowerIntegral)
#include "tst_PowerIntegral.moc"
