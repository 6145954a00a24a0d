// Power on another clock than the trace's, and sensors that repeat themselves.

#include "core/analysis/energy/PlantedPhases.h"

#include "core/analysis/energy/EnergyByPhase.h"
#include "support/TestProgram.h"

#include <cmath>
#include <random>

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
};

TRAINSCOPE_TEST(tst_PowerLags)
#include "tst_PowerLags.moc"
