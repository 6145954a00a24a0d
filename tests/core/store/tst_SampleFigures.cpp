// Sums over samples, also where their times are as far apart as a forged file can have them.

#include "core/store/Fixture.h"
#include "core/store/samples/SampleFigures.h"

#include <QObject>

#include <array>
#include <limits>
#include <vector>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

} // namespace

class tst_SampleFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 1 for 2 ns, 4 for 8 ns: 34 / 10.
    void heldUntilTheNext() {
        const SampleFigures figures
            = figuresOf(std::vector<std::int64_t>{5, 7, 15}, std::vector<double>{1.0, 4.0, 9.0});
        QCOMPARE(figures.weight, std::int64_t{10});
        QCOMPARE(figures.weighted, 34.0);
        QCOMPARE(figures.mean().value_or(-1.0), 3.4);
    }

    // From the first moment to 0 is one ns more than 64 bits count; from 0 to the last one is not.
    void whatCannotBeCountedCountsForNothing() {
        const std::vector<std::int64_t> times{kFirst, 0, kLast};
        const SampleFigures figures = figuresOf(times, std::vector<double>{1.0, 2.0, 3.0});
        QCOMPARE(figures.weight, kLast);
        QCOMPARE(figures.mean().value_or(-1.0), 2.0);
        QCOMPARE(figures.min.value_or(-1.0), 1.0);
        QCOMPARE(figures.max.value_or(-1.0), 3.0);
    }

    void manySamplesAcrossAllTime() {
        std::vector<std::int64_t> times(40, 7);
        times.front() = kFirst;
        times.back() = kLast;
        const SampleFigures figures = figuresOf(times, std::vector<double>(40, 5.0));
        QCOMPARE(figures.mean().value_or(-1.0), 5.0);
    }

    void chunksFarApart() {
        SampleFigures early = figuresOf(
            std::vector<std::int64_t>{kFirst, kFirst + 10}, std::vector<double>{1.0, 1.0});
        const SampleFigures late = figuresOf(
            std::vector<std::int64_t>{kLast - 30, kLast}, std::vector<double>{3.0, 3.0});
        early.append(late);
        QCOMPARE(early.weight, std::int64_t{40});
        QCOMPARE(early.mean().value_or(-1.0), (10.0 + 90.0) / 40.0);
        QCOMPARE(early.count, std::int64_t{4});
    }

    // Two recorders once a second, 10 ms apart: half of the intervals are no period. A hole of five
    // minutes changes nothing, and a log with many holes of all lengths keeps its median.
    void groupsOfReadings() {
        constexpr std::int64_t kMs = 1'000'000;
        PeriodHistogram pairs;
        for (int i = 0; i < 50; ++i) {
            pairs.add(10 * kMs);
            pairs.add(990 * kMs);
        }
        pairs.add(10 * kMs);
        pairs.add(10 * kMs);
        pairs.add(300'000 * kMs);
        QCOMPARE(pairs.median(), 10 * kMs + 0);
        QCOMPARE(pairs.period(), 990 * kMs + 0);
        PeriodHistogram holes;
        for (int i = 1; i <= 20; ++i) {
            holes.add(1000 * kMs);
            holes.add(i % 2 == 0 ? 1000 * kMs : 20'000 * kMs * i * i);
        }
        QCOMPARE(holes.period(), 1000 * kMs + 0);
        PeriodHistogram few;
        for (const std::int64_t ms : {1, 1, 1, 40})
            few.add(ms * kMs);
        QCOMPARE(few.period(), kMs + 0);
    }

    void theLongestInterval() {
        PeriodHistogram periods;
        periods.addBetween(std::array{kFirst, kLast});
        QVERIFY(periods.median() >= std::int64_t{9'000'000'000'000'000'000});
    }
};

TRAINSCOPE_TEST(tst_SampleFigures)
#include "tst_SampleFigures.moc"
