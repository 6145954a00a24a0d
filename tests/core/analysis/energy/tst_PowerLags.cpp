// Power on another clock than the trace's, and sensors that repeat themselves.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/PlantedPhases.h"
#include "core/analysis/energy/PowerSampling.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/PowerEdges.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_PowerLags : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The power is stamped 1.7 s late. Moved back, each phase is within its bound, and close to it.
    void powerOnAnotherClock() {
        constexpr std::int64_t kLate = 1'700 * kMs;
        std::mt19937 random(11);
        Truth truth;
        std::int64_t now = 5'000 * kMs;
        for (int round = 0; round < 10; ++round) {
            for (const auto& [phase, watts] : {std::pair{Phase::Forward, 500.0},
                     std::pair{Phase::Backward, 650.0}, std::pair{Phase::Idle, Truth::kIdleW}}) {
                const std::int64_t length
                    = (800 + static_cast<std::int64_t>(random() % 2000)) * kMs;
                truth.intervals.push_back({phase, now, now + length, watts});
                now += length;
            }
        }
        truth.intervals.pop_back();
        now = truth.intervals.back().end;
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        plantTrace(trace, truth);
        for (std::int64_t t = 0; t < now + 5'000 * kMs; t += 20 * kMs) {
            const auto at = static_cast<double>(t);
            trace.power(
                0, t + kLate, (truth.energyUntil(at) - truth.energyUntil(at - 25e6)) / 25e-3);
        }
        const auto store = trace.store();
        const Run run = store.findRun("run").value();
        const auto lags = powerLags({store, run}).value();
        QCOMPARE(lags.size(), std::size_t{1});
        const PowerLag lag = lags.at(0);
        QVERIFY2(std::abs(static_cast<double>(lag.lag.ns - kLate)) <= lag.errorNs + 25e6,
            std::to_string(lag.lag.ns).c_str());
        const auto found = energyByPhase({store, run}).value();
        QCOMPARE(found.gpus[0].lag->lag, lag.lag);
        for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Idle}) {
            const auto& energy = found.sum.phases[phase].known;
            QVERIFY(energy && std::abs(energy->joules / truth.of(phase) - 1.0) < 0.03);
        }
    }
    // The power of all ranks is stamped 1.7 s later than rank 0's trace. Rank 2 was traced too
    // briefly to tell, but its trace's clock is 0.8 s behind rank 0's by their collectives.
    void aShortTraceByTheClocksOfTheOthers() {
        constexpr std::int64_t kLate = 1'700 * kMs;
        constexpr std::int64_t kBehind = 800 * kMs;
        constexpr std::int64_t kFirst = 5'000 * kMs;
        std::mt19937 random(3);
        PlantedTrace trace;
        trace.sensor = SensorKind::Instant;
        const std::string detail = R"({"Collective name":"allreduce","In msg nelems":1000,)"
                                   R"("dtype":"Float","Process Group Description":"DP",)"
                                   R"("Process Group Ranks":"[0, 1, 2]"})";
        std::int64_t at = kFirst;
        for (int i = 0; i < 30; ++i) {
            at += 2 * kMs + static_cast<std::int64_t>(random() % 5'000) * kUs;
            for (int rank = 0; rank < 3; ++rank)
                trace.kernel(rank, "9", "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                    at - (rank == 2 ? kBehind : 0), kMs, 0, detail);
        }
        Truth truth;
        for (at += 100 * kMs; truth.intervals.size() < 12;) {
            const std::int64_t length = (800 + static_cast<std::int64_t>(random() % 2000)) * kMs;
            truth.intervals.push_back({Phase::Compute, at, at + length, 600.0});
            for (int rank = 0; rank < 2; ++rank)
                trace.kernel(rank, "7", "a_gemm", at, length);
            at += 2 * length;
        }
        for (std::int64_t t = 0; t < at + 5'000 * kMs; t += 20 * kMs) {
            const auto now = static_cast<double>(t);
            const double watts = (truth.energyUntil(now) - truth.energyUntil(now - 25e6)) / 25e-3;
            for (int rank = 0; rank < 3; ++rank)
                trace.power(rank, t + kLate, watts);
        }
        const auto store = trace.store();
        const auto lags = powerLags({store, store.findRun("run").value()}).value();
        QCOMPARE(lags.size(), std::size_t{3});
        for (int rank = 0; rank < 3; ++rank) {
            const std::int64_t expected = kLate + (rank == 2 ? kBehind : 0);
            QVERIFY2(std::abs(static_cast<double>(lags.at(rank).lag.ns - expected))
                    <= lags.at(rank).errorNs + 25e6,
                std::to_string(lags.at(rank).lag.ns).c_str());
            QVERIFY(lags.at(rank).errorNs < 0.2e9);
        }
    }
    // Read every 20 ms, new every 800 ms: 75 readings in 60 s, not 3000.
    void aSensorThatRepeatsItself() {
        PlantedTrace trace;
        trace.sensor = SensorKind::Instant;
        trace.kernel(0, "7", "a_gemm", 0, 60'000 * kMs);
        for (std::int64_t i = 0; i < 3'000; ++i)
            trace.power(0, i * 20 * kMs, 400.0 + static_cast<double>(i / 40 * 7919 % 200));
        const auto store = trace.store();
        const auto found = energyByPhase({store, store.findRun("run").value()}).value();
        QVERIFY(found.gpus[0].sensor.has_value());
        QVERIFY(found.gpus[0].sensor->readings <= 75);
    }

    // Energy by phase and lag of a GPU whose power two sources recorded, and energy per iteration
    // of a run whose iterations a log tells.

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

    // Periods of powers that are read oftener than their sensors are updated.

    // Read every 10 ms, updated every 50 ms; and a plateau of a second, which is no update period.
    void samplingPeriod() {
        PlantedTrace trace;
        for (int i = 0; i < 1'000; ++i) {
            trace.power(0, i * 10 * kMs, 100.0 + i / 5);
            trace.power(1, i * 10 * kMs, (i / 100) % 2 == 0 ? 100.0 : 400.0);
        }
        const auto store = trace.store();
        const auto all = store.series(store.findRun("run").value().id).value();
        const auto first = powerSamplingOf(store, all[0]);
        QVERIFY(first.hasValue() && first.value());
        QCOMPARE(first.value()->gapLimit.ns, 100 * kMs);
        QCOMPARE(first.value()->maxW, 299.0);
        QVERIFY(first.value()->isRepeating);
        QVERIFY(!powerSamplingOf(store, all[1]).value()->isRepeating);
    }
};

TRAINSCOPE_TEST(tst_PowerLags)
#include "tst_PowerLags.moc"
