// Sums over stretches of time, by hand, against sums over small steps and over the samples.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"

#include "core/analysis/statistics/SampleWalk.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kWalkSecond = 1'000'000'000;
using Readings = std::vector<std::pair<std::int64_t, double>>;

// A database with one power.
struct Planted {
    PlantedTrace trace;
    store::Store store;
    Series series;

    explicit Planted(const Readings& readings)
        : store(filled(trace, readings))
        , series(store.series(store.findRun("run").value().id).value().front()) { }

    [[nodiscard]] SampleWalk walk(
        std::int64_t begin, std::int64_t gap = 0, std::int64_t lag = 0) const {
        return {store, series.id, {begin}, {gap}, {lag}};
    }

private:
    static store::Store filled(PlantedTrace& trace, const Readings& readings) {
        for (const auto& [time, watts] : readings)
            trace.power(0, time, watts);
        return trace.store();
    }
};

} // namespace

class tst_SampleWalk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 100 W at 0 s, 300 W at 1 s, missing at 2 s, 300 W at 3 s, then nothing until 100 s.
    void byHand() {
        const std::int64_t s = kWalkSecond;
        const Planted planted(
            {{0, 100.0}, {s, 300.0}, {2 * s, kUnread}, {3 * s, 300.0}, {100 * s, 500.0}});
        SampleWalk power = planted.walk(-5 * s, 10 * s);
        QCOMPARE(got(power.to({-1 * s})).line.integral(), 0.0);
        const auto first = got(power.to({s / 2})).line;
        QCOMPARE(first.integral(), 0.5 * (100.0 + 200.0) / 2.0);
        QCOMPARE(first.length().ns, s / 2);
        QCOMPARE(got(power.to({s})).line.integral(), 0.5 * (200.0 + 300.0) / 2.0);
        // Over the missing one, not over the gap.
        QCOMPARE(got(power.to({5 * s})).line.integral(), 2.0 * 300.0);
        const auto last = got(power.to({150 * s})).line;
        QCOMPARE(last.integral(), 0.0);
        QCOMPARE(last.length().ns, 0);
        QCOMPARE(got(planted.walk(s / 2, 10 * s).to({s})).line.integral(), 125.0);
    }
    // Samples at 0, 1, 2 and 4 s, the third missing; stretches [0.5, 1.5) and [3, 5).
    void heldByHand() {
        const Planted power({{0, 100.0}, {kWalkSecond, 200.0}, {2 * kWalkSecond, kUnread},
            {4 * kWalkSecond, 500.0}});
        SampleWalk walk = power.walk(kWalkSecond / 2, 10 * kWalkSecond);
        const auto first = got(walk.to({3 * kWalkSecond / 2}));
        QCOMPARE(*first.held.mean(), 150.0); // 100 and 200 for half a second each
        // The line from 100 to 200 holds 175 on average in [0.5, 1); from 200 at 1 s to 500 at 4 s
        // it holds 225 in [1, 1.5).
        QCOMPARE(first.line.integral(), 0.5 * 175.0 + 0.5 * 225.0);
        QCOMPARE(*first.max, 200.0);
        got(walk.to({3 * kWalkSecond}));
        const auto second = got(walk.to({5 * kWalkSecond}));
        QVERIFY(!second.held.mean()); // it began at the missing sample
        QCOMPARE(second.line.integral(), 450.0); // from 400 to 500 in a second
        QCOMPARE(second.line.length().ns, kWalkSecond);
        QCOMPARE(*second.max, 500.0);
    }
    void gapsAreNotBridged() {
        const Planted power(
            {{0, 10.0}, {kWalkSecond, 10.0}, {50 * kWalkSecond, 10.0}, {51 * kWalkSecond, 10.0}});
        const auto all = got(power.walk(0, 10 * kWalkSecond).to({100 * kWalkSecond}));
        QCOMPARE(all.line.integral(), 20.0);
        QCOMPARE(all.held.length().ns, 51 * kWalkSecond);
        QVERIFY(!got(power.walk(0).to({100 * kWalkSecond})).line.mean()); // no lines were asked for
    }
    // A line leads into the stretch from a sample with a value before the missing one that holds
    // there.
    void beginsAtAMissingSample() {
        const Planted power({{0, 100.0}, {kWalkSecond, kUnread}, {4 * kWalkSecond, 500.0}});
        const auto found = got(power.walk(2 * kWalkSecond, 10 * kWalkSecond).to({3 * kWalkSecond}));
        QVERIFY(!found.held.mean());
        QCOMPARE(found.line.integral(), 350.0); // 300 W at 2 s, 400 W at 3 s
        QVERIFY(!found.max);
    }
    // 1 W at 10, missing at 20, 3 W and then 4 W at 30, missing at 40.
    void heldAtMoments() {
        const Planted power({{10, 1.0}, {20, kUnread}, {30, 3.0}, {30, 4.0}, {40, kUnread}});
        SampleWalk walk = power.walk(0);
        QVERIFY(std::isnan(got(walk.heldAt({9}))));
        QCOMPARE(got(walk.heldAt({10})), 1.0);
        QCOMPARE(got(walk.heldAt({19})), 1.0);
        QVERIFY(std::isnan(got(walk.heldAt({20}))));
        QCOMPARE(got(walk.heldAt({30})), 4.0);
        QCOMPARE(got(walk.heldAt({39})), 4.0);
        QVERIFY(std::isnan(got(walk.heldAt({40}))));
        QCOMPARE(got(power.walk(35).heldAt({36})), 4.0); // began before the walk
        const Planted last({{10, 1.0}, {20, 2.0}});
        QCOMPARE(got(last.walk(0).heldAt({1'000})), 2.0); // the last one is held for ever
        QCOMPARE(
            got(last.walk(0).to({1'000})).held.integral(), 10.0 * 1e-9); // and sums up to nothing
    }
    void linesAtMoments() {
        const Planted power({{10, 1.0}, {20, kUnread}, {30, 3.0}, {100, 5.0}});
        const auto at = [&power](std::int64_t moment, std::int64_t gap) {
            return got(power.walk(moment, gap).lineAt({moment}));
        };
        QCOMPARE(at(25, 20)->meanOver({{25}, {25}}), 2.5);
        QCOMPARE(at(25, 20)->meanOver({{20}, {30}}), 2.5);
        QCOMPARE(at(30, 20)->from.value, 1.0); // up to the moment itself
        QVERIFY(!at(25, 19));
        QVERIFY(!at(50, 20));
        QVERIFY(!at(10, 20)); // nothing lies before
        QVERIFY(!at(101, 200)); // nor behind
    }
    void laterStamps() {
        const Planted planted({{100, 100.0}, {200, 300.0}});
        SampleWalk power = planted.walk(0, kWalkSecond, 100); // shows what happened 100 ago
        QCOMPARE(got(power.to({100})).line.integral(), 200.0 * 100e-9);
    }
    void neighboursSumToTheWhole_data() {
        columns<unsigned>("seed");
        for (unsigned seed = 0; seed < 30; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
    void neighboursSumToTheWhole() {
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        const auto below
            = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
        Readings readings;
        std::int64_t now = 0;
        std::vector<std::pair<std::int64_t, double>> known;
        for (int i = 0; i < 3'000; ++i) {
            now += below(50) == 0 ? 2'000 : below(100);
            const double watts = below(20) == 0 ? kUnread : 50.0 + static_cast<double>(below(600));
            readings.emplace_back(now, watts);
            if (!std::isnan(watts))
                known.emplace_back(now, watts);
        }
        const Planted power(readings);
        const TimeRange window{{below(500)}, {now - below(500)}};
        constexpr std::int64_t kLimit = 1'000;
        SampleWalk parts = power.walk(window.begin.ns, kLimit);
        double sum = 0.0;
        DurationNs covered;
        for (TimeNs t = window.begin; t < window.end;) {
            t = std::min(window.end, t + DurationNs{1 + below(300)});
            const auto part = got(parts.to(t)).line;
            sum += part.integral();
            covered = covered + part.length();
        }
        const auto all = got(power.walk(window.begin.ns, kLimit).to(window.end)).line;
        QVERIFY(std::abs(sum - all.integral()) < 1e-12 * all.integral());
        QCOMPARE(covered, all.length());
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
            if (t1 - t0 <= kLimit)
                expected += w0 + (w1 - w0) * (static_cast<double>(t - t0) + 0.5) / length;
        }
        QVERIFY(std::abs(all.integral() - expected * 1e-9) < 1e-9 * all.integral());
    }
    // Stretches that tile the record add up to it.
    void tilesAddUp() {
        for (unsigned seed = 1; seed <= 20; ++seed) {
            std::mt19937 random(seed);
            const auto below
                = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
            Readings readings;
            std::int64_t end = 0;
            for (int i = 0; i < 500; ++i) {
                readings.emplace_back(
                    end, below(20) == 0 ? kUnread : static_cast<double>(100 + below(600)));
                end += below(200'000'000);
            }
            const Planted power(readings);
            SampleWalk walk = power.walk(0, 500'000'000);
            HeldSums sum;
            for (std::int64_t to = 0; to <= end;) {
                to += 1 + below(3'000'000'000U);
                const auto part = got(walk.to({to}));
                sum.held.add(part.held);
                sum.line.add(part.line);
                if (part.max)
                    sum.max = std::max(sum.max.value_or(0.0), *part.max);
            }
            double held = 0.0; // unit·ns
            double highest = 0.0;
            for (std::size_t i = 0; i < readings.size(); ++i) {
                if (std::isnan(readings[i].second))
                    continue;
                highest = std::max(highest, readings[i].second);
                if (i + 1 < readings.size())
                    held += readings[i].second
                        * static_cast<double>(readings[i + 1].first - readings[i].first);
            }
            const auto whole = got(power.walk(0, 500'000'000).to({end + 1}));
            QVERIFY(std::abs(sum.held.integral() - held * 1e-9) < 1e-9 * held * 1e-9);
            QVERIFY(std::abs(sum.line.integral() - whole.line.integral()) < 1e-6);
            QCOMPARE(sum.line.length(), whole.line.length());
            QCOMPARE(sum.max, std::optional(highest));
        }
    }
    // Over several chunks of the store, with stamps that come several times at their borders.
    void pulledAsPushed() {
        Readings readings;
        for (std::int64_t i = 0; i < 50'000; ++i)
            readings.emplace_back(i / 3 * 10, i % 1'000 == 7 ? kUnread : static_cast<double>(i));
        const Planted power(readings);
        for (const TimeRange window :
            {kAllTime, TimeRange{{54'605}, {109'230}}, TimeRange{{5}, {5}}}) {
            std::vector<double> pushed;
            const auto status
                = power.store.forEachSample(power.series.id, window, [&pushed](auto, auto values) {
                      pushed.insert(pushed.end(), values.begin(), values.end());
                      return true;
                  });
            QVERIFY(status.hasValue());
            std::vector<double> expected;
            for (const auto& [time, value] : readings) {
                if (window.contains({time}))
                    expected.push_back(value);
            }
            std::vector<double> pulled;
            SampleCursor cursor(power.store, power.series.id, window);
            QVERIFY(cursor.start().hasValue());
            while (!cursor.atEnd()) {
                pulled.push_back(cursor.value());
                QVERIFY(cursor.next().hasValue());
            }
            const auto isSame = [](double a, double b) { return a == b || (a != a && b != b); };
            for (const auto* const found : {&pushed, &pulled})
                QVERIFY(std::equal(
                    found->begin(), found->end(), expected.begin(), expected.end(), isSame));
        }
    }
    void stopsOnRequest() {
        const Planted power({{0, 1.0}, {10, 2.0}});
        SampleWalk walk(power.store, power.series.id, {0}, {}, {}, [] { return false; });
        const auto stopped = walk.to({10});
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
    }
};

TRAINSCOPE_TEST(tst_SampleWalk)
#include "tst_SampleWalk.moc"
