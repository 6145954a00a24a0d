// Uncertainty of clocks beyond the collectives that tell them.

#include <QtTest>

#include "core/analysis/traces/ClockFit.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/RankClocks.h"
#include "support/TestProgram.h"

#include <cstdlib>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;
using trainscope::test::PlantedRun;

class tst_ClockDrift : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Two calls tell nothing of the drift, which is then any up to 300 ppm.
    void isAnyWhereCallsDoNotTellIt() {
        const auto callOf = [](std::int64_t start, std::int64_t end) {
            return SequencedCall{{start}, {end}, 1, -1, true, true};
        };
        const std::vector<MatchedCall> calls{{callOf(100'000, 200'040), callOf(201'000, 201'040)},
            {callOf(600'000, 600'040), callOf(501'000, 601'040)}};
        const auto fit = fitClocks(calls, {0});
        QVERIFY(fit.has_value());
        QCOMPARE(fit->last.ns, 600'040);
        QCOMPARE(fit->growth, 300e-6);
    }

    void theDriftIsLessKnownBeyondTheCollectives() {
        // 20 all-reduces within 10 ms, whose ends lie up to 6 µs apart: the difference of two of
        // these has a standard deviation of 2.4 µs, which tells the slope to 2.4 µs / (√(20/12) ·
        // 10 ms) = 190 ppm, and with the 80 ppm of usual clocks to 74 ppm. At 10 s that is 0.74 ms,
        // and 2.9 ms with the normal quantile of 3.9; no clock drifts by more than 300 ppm + what
        // was estimated.
        std::mt19937_64 random(3);
        const auto below = [&random](std::int64_t limit) {
            return std::uniform_int_distribution<std::int64_t>(0, limit)(random);
        };
        PlantedRun planted;
        planted.clocks[1] = {500'000, 50.0};
        const auto jitter = [&below] { return below(6'000); };
        for (std::int64_t i = 0; i < 20; ++i) {
            const std::int64_t at = i * 500'000 + below(100'000);
            planted.addCollective({0, 1}, {at, at}, 100'000,
                test::collectiveDetail("allreduce", 1'000'000, "0", {0, 1}), jitter);
        }
        const std::int64_t end = 10'000'000'000;
        for (const int rank : {0, 1})
            planted.calls.push_back({rank, end - 100'000, end, "gemm", {}, "7"});
        const auto store = planted.stored();
        const auto found = alignRanks({store, store.findRun("planted").value()});
        QVERIFY(found.hasValue());
        const RankClocks& clocks = found.value();
        QVERIFY(!clocks.agree); // 0.5 ms, and known where the collectives are
        const RankClock* const clock = clocks.find(1);
        QVERIFY(clock != nullptr);
        QVERIFY(clock->uncertaintyNs < 20'000.0);
        QVERIFY(clock->traceUncertaintyNs > 1e6);
        QVERIFY(clock->traceUncertaintyNs < 4.2e6);
        QCOMPARE(clocks.largestTraceUncertaintyNs, clock->traceUncertaintyNs);
        QCOMPARE(clocks.find(0)->traceUncertaintyNs, 0.0);
        const TimeNs local{planted.local(1, end)};
        const std::int64_t error = std::abs(clock->onReference(local).ns - test::kEpoch - end);
        QVERIFY(static_cast<double>(error) <= clock->traceUncertaintyNs);
    }
};

TRAINSCOPE_TEST(tst_ClockDrift)
#include "tst_ClockDrift.moc"
