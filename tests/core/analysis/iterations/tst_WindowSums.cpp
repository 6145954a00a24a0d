// Many windows at once against one window at a time, and a case by hand.

#include <QtTest>

#include "core/analysis/statistics/WindowSums.h"
#include "support/TestProgram.h"

#include <cmath>
#include <limits>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

} // namespace

class tst_WindowSums : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Samples at 0, 1, 2 and 4 s, the third missing; windows [0.5, 1.5) and [3, 5).
    void byHand() {
        WindowSums sums(
            {{{kSecond / 2}, {3 * kSecond / 2}}, {{3 * kSecond}, {5 * kSecond}}}, {10 * kSecond});
        const std::vector<TimeNs> times{{0}, {kSecond}, {2 * kSecond}, {4 * kSecond}};
        const std::vector<double> values{100.0, 200.0, kMissing, 500.0};
        sums.add(std::span(times).first(2), std::span(values).first(2));
        sums.add(std::span(times).subspan(2), std::span(values).subspan(2));
        const auto& all = sums.sums();
        QCOMPARE(*all[0].mean(), 150.0); // 100 and 200 for half a second each
        // The line from 100 to 200 holds 175 on average in [0.5, 1); from 200 at 1 s to 500 at 4 s
        // it holds 225 in [1, 1.5).
        QCOMPARE(all[0].integral, 0.5 * 175.0 + 0.5 * 225.0);
        QCOMPARE(*all[0].max, 200.0);
        QVERIFY(!all[1].mean()); // what began at the missing sample counts in no mean
        QCOMPARE(all[1].integral, 450.0); // from 400 to 500 in a second
        QCOMPARE(all[1].coveredSeconds, 1.0);
        QCOMPARE(*all[1].max, 500.0);
    }

    void gapsAreNotBridged() {
        WindowSums sums({{{0}, {100 * kSecond}}}, {10 * kSecond});
        const std::vector<TimeNs> times{{0}, {kSecond}, {50 * kSecond}, {51 * kSecond}};
        sums.add(times, std::vector<double>{10.0, 10.0, 10.0, 10.0});
        QCOMPARE(sums.sums()[0].integral, 20.0);
        QCOMPARE(sums.sums()[0].heldSeconds, 51.0);
    }

    // Windows that tile the record add up to it, in blocks of any size.
    void tilesAddUp() {
        for (unsigned seed = 1; seed <= 20; ++seed) {
            std::mt19937 random(seed);
            std::vector<TimeNs> times;
            std::vector<double> values;
            std::int64_t t = 0;
            for (int i = 0; i < 500; ++i) {
                times.push_back({t});
                values.push_back(
                    random() % 20 == 0 ? kMissing : static_cast<double>(100 + random() % 600));
                t += static_cast<std::int64_t>(random() % 200'000'000);
            }
            std::vector<TimeRange> tiles;
            for (std::int64_t from = 0; from < t;) {
                const std::int64_t to
                    = from + 1 + static_cast<std::int64_t>(random() % 3'000'000'000);
                tiles.push_back({{from}, {to}});
                from = to;
            }
            const DurationNs gap{500'000'000};
            WindowSums parts(tiles, gap);
            WindowSums whole({{{0}, {t + 1}}}, gap);
            for (std::size_t from = 0; from < times.size();) {
                const std::size_t n = std::min<std::size_t>(1 + random() % 90, times.size() - from);
                parts.add(std::span(times).subspan(from, n), std::span(values).subspan(from, n));
                from += n;
            }
            whole.add(times, values);
            WindowSums::Sums sum;
            for (const auto& one : parts.sums()) {
                sum.weighted += one.weighted;
                sum.integral += one.integral;
                sum.heldSeconds += one.heldSeconds;
            }
            const auto& expected = whole.sums()[0];
            QVERIFY(std::abs(sum.weighted - expected.weighted) < 1e-6);
            QVERIFY(std::abs(sum.integral - expected.integral) < 1e-6);
            QVERIFY(std::abs(sum.heldSeconds - expected.heldSeconds) < 1e-9);
        }
    }
};

TRAINSCOPE_TEST(tst_WindowSums)
#include "tst_WindowSums.moc"
