// Energy by phase and lag of a GPU whose power two sources recorded, and energy per iteration of a
// run whose iterations a log tells.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/PowerEdges.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_EnergyOfTwins : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The first source broke off after 20 ms; the second has the 2 s of the kernel at 100 W.
    void theSeriesWithMoreValuesIsTaken() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a_gemm", 0, 2'000 * kMs);
        for (int i = 0; i < 3; ++i)
            trace.power(0, i * 10 * kMs, 100.0);
        auto store = trace.store();
        std::vector<std::int64_t> at;
        for (int i = -100; i <= 300; ++i)
            at.push_back(i * 10 * kMs);
        addSeries(store, gauge("gpu_power", 0), at, std::vector<double>(at.size(), 100.0));
        const auto found = got(energyByPhase({store, got(store.findRun("run"))}));
        QCOMPARE(found.gpus.size(), std::size_t{1});
        QCOMPARE(found.gpus[0].coverage, 1.0);
        QVERIFY(found.sum.total.known.has_value());
        QVERIFY(std::abs(found.sum.total.known->joules - 200.0) < 0.5);
    }

    // The same two sources of a GPU that works and waits for changing times: 600 and 150 W, told
    // 300 ms late and read every 50 ms, for 20 s of which the middle 8 are traced.
    void theLagIsThatOfTheSeriesWithMoreValues() {
        PlantedTrace trace;
        std::vector<std::int64_t> at;
        std::vector<double> watts;
        std::int64_t now = 0;
        std::int64_t read = 0;
        for (std::int64_t i = 0; now < 20'000 * kMs; ++i) {
            const std::int64_t waits = now + (150 + 97 * (i * i % 8)) * kMs;
            const std::int64_t next = waits + (150 + 113 * (3 * i % 7)) * kMs;
            if (now >= 6'000 * kMs && waits <= 14'000 * kMs)
                trace.kernel(0, "7", "a_gemm", now, waits - now);
            for (; read < next; read += 50 * kMs) {
                at.push_back(read + 300 * kMs);
                watts.push_back(read < waits ? 600.0 : 150.0);
            }
            now = next;
        }
        for (std::size_t i = 0; i < 3; ++i)
            trace.power(0, at[i], watts[i]);
        auto store = trace.store();
        addSeries(store, gauge("gpu_power", 0), at, watts);
        const auto lags = got(telemetryLags({store, got(store.findRun("run"))}));
        QCOMPARE(lags.ranks.size(), std::size_t{1});
        QVERIFY(std::abs(lags.ranks[0].lagS - 0.3) <= lags.ranks[0].errorS);
    }

    // Two iterations of 1 s at 100 W, told of the whole run (rank −1) and of no rank: 100 J each,
    // of one GPU.
    void anIterationOfALogCountsOnce() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a_gemm", 0, 2'000 * kMs);
        for (int i = -100; i <= 300; ++i)
            trace.power(0, i * 10 * kMs, 100.0);
        trace.iteration(-1, 1, 0, 1'000 * kMs);
        trace.iteration(-1, 2, 1'000 * kMs, 2'000 * kMs);
        const auto store = trace.store();
        const Run run = got(store.findRun("run"));
        EnergyOptions options;
        options.iterations.all = got(iterationsOf({store, run})).everyOne();
        QCOMPARE(options.iterations.all.size(), std::size_t{2});
        const auto found = got(energyByPhase({store, run}, options)).sum.iterations;
        QCOMPARE(found.size(), std::size_t{2});
        for (const IterationEnergy& one : found) {
            QCOMPARE(one.gpus, 1);
            QVERIFY(one.total.known.has_value());
            QVERIFY(std::abs(one.total.known->joules - 100.0) < 0.5);
        }
    }
};

TRAINSCOPE_TEST(tst_EnergyOfTwins)
#include "tst_EnergyOfTwins.moc"
