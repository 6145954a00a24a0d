// The steady part of a run on the clocks of its ranks.

#include <QtTest>

#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/SteadyWindows.h"
#include "support/TestProgram.h"

#include <memory>

using namespace trainscope;
using namespace trainscope::analysis;
using trainscope::test::kMs;

namespace {

// Four of 100 ms, each from `begin` on.
std::vector<Iteration> fourFrom(std::int64_t begin, int rank) {
    std::vector<Iteration> made;
    for (std::int64_t i = 0; i < 4; ++i)
        made.push_back({i, {{begin + i * 100 * kMs}, {begin + (i + 1) * 100 * kMs}}, rank, i == 0});
    return made;
}

TimeRange ms(std::int64_t begin, std::int64_t end) {
    return {{begin * kMs}, {end * kMs}};
}

} // namespace

class tst_SteadyWindows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Rank 1's clock is an hour ahead and has marked the same steps, 2 ms later each; rank 2's is
    // 50 ms behind, without marks. Steps 1 to 3 are 100 to 400 ms of the run.
    void ofClocksThatDiffer() {
        constexpr std::int64_t hour = 3'600'000;
        RunIterations iterations;
        iterations.basis = IterationBasis::Recorded;
        iterations.iterations = fourFrom(0, -1);
        iterations.byRank[0] = fourFrom(0, 0);
        iterations.byRank[1] = fourFrom((hour + 2) * kMs, 1);
        RankClocks known;
        known.referenceRank = 0;
        known.ranks.resize(3);
        for (int rank = 0; rank < 3; ++rank)
            known.ranks[static_cast<std::size_t>(rank)].rank = rank;
        known.ranks[1].offsetNs = hour * kMs;
        known.ranks[2].offsetNs = -50 * kMs;
        const auto clocks = std::make_shared<const RankClocks>(known);
        const TimeRange steady = ms(100, 400);
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 0), steady);
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 1), ms(hour + 102, hour + 402));
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 2), ms(50, 350));
        // With clocks that agree the run's window is everyone's.
        QCOMPARE(ownSteadyWindow(iterations, steady, nullptr, 1), steady);
        QCOMPARE(ownSteadyWindow(iterations, kAllTime, clocks, 1), kAllTime);
        // A part that is none of iterations, and numbers that a log or a second trace gave.
        QCOMPARE(ownSteadyWindow(iterations, ms(110, 400), clocks, 1), ms(hour + 110, hour + 400));
        iterations.byRank[-1] = fourFrom(0, -1);
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 1), ms(hour + 100, hour + 400));
        iterations.byRank.erase(-1);
        iterations.byRank[1][3].index = 1;
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 1), ms(hour + 100, hour + 400));
    }
};

TRAINSCOPE_TEST(tst_SteadyWindows)
#include "tst_SteadyWindows.moc"
