// Energy shared out over planted traces, against the joules that were planted.

#include "core/analysis/energy/EnergyByPhase.h"
#include "core/analysis/energy/OperatorEnergy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/PowerEdges.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

using analysis::Phase;

struct Interval {
    Phase phase;
    std::int64_t begin;
    std::int64_t end;
    double watts;
};

// Power that is constant in each interval, 80 W outside.
class Truth {
public:
    std::vector<Interval> intervals;

    // Joules from 0 to t.
    [[nodiscard]] double energyUntil(double t) const {
        double joules = kIdleW * t;
        for (const Interval& one : intervals) {
            const double length
                = std::clamp(t, static_cast<double>(one.begin), static_cast<double>(one.end))
                - static_cast<double>(one.begin);
            joules += (one.watts - kIdleW) * length;
        }
        return joules * 1e-9;
    }
    [[nodiscard]] double of(Phase phase) const {
        double joules = 0.0;
        for (const Interval& one : intervals)
            joules += one.phase == phase ? one.watts * static_cast<double>(one.end - one.begin) : 0;
        return joules * 1e-9;
    }

    static constexpr double kIdleW = 80.0;
};

// The trace of the intervals: kernels launched from surroundings that tell their phase.
void plantTrace(PlantedTrace& trace, const Truth& truth) {
    std::int64_t correlation = 0;
    for (const Interval& one : truth.intervals) {
        ++correlation;
        const std::string thread = std::to_string(correlation % 50);
        const std::int64_t launched = one.begin - 20 * kUs;
        const auto launch = [&](SpanKind kind, const char* name) {
            trace.host(0, thread, kind, name, launched - 5, 10);
            trace.host(0, thread, SpanKind::Runtime, "cudaLaunchKernel", launched, 2, correlation);
            trace.kernel(0, "7", "a_gemm", one.begin, one.end - one.begin, correlation);
        };
        const auto collective = [&] {
            trace.kernel(0, "9", "ncclDevKernel_AllReduce", one.begin, one.end - one.begin, 0,
                R"({"Collective name":"allreduce","Process Group Description":"DP","Process Group Ranks":"[0, 1]"})");
        };
        switch (one.phase) {
        case Phase::Forward:
            launch(SpanKind::Annotation, "## forward ##");
            break;
        case Phase::Backward:
            launch(SpanKind::CpuOp, "autograd::engine::evaluate_function: X");
            break;
        case Phase::Optimizer:
            launch(SpanKind::Annotation, "Optimizer.step#Adam.step");
            break;
        case Phase::CommunicationExposed:
            collective();
            break;
        case Phase::CommunicationHidden:
            collective();
            trace.kernel(0, "7", "b_gemm", one.begin, one.end - one.begin);
            break;
        default:
            break;
        }
    }
}

// Readings of the mean over the last windowNs, every periodNs.
void plantPower(PlantedTrace& trace, const Truth& truth, double windowNs, std::int64_t periodNs,
    std::int64_t firstNs, std::int64_t endNs) {
    for (std::int64_t t = firstNs; t < endNs; t += periodNs) {
        const auto now = static_cast<double>(t);
        trace.power(
            0, t, (truth.energyUntil(now) - truth.energyUntil(now - windowNs)) / (windowNs * 1e-9));
    }
}

EnergyByPhase energyOf(PlantedTrace& trace, const EnergyOptions& options = {}) {
    const auto store = trace.store();
    auto energy = energyByPhase(studyOf(store), options);
    if (!energy.hasValue())
        qFatal("%s", energy.error().describe().c_str());
    return std::move(energy).value();
}

} // namespace

class tst_EnergyByPhase : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Seconds of gemm at 650 W, of gemm beside a norm at 600 W (so the norm's half is at 550 W), of
    // an all-reduce beside gemm at 500 W, of the same alone at 250 W, of a copy at 390 W, of
    // nothing at 100 W.
    void sharesByHand() {
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        const std::int64_t s = 1'000 * kMs;
        std::vector<std::pair<std::int64_t, double>> levels; // until, W
        std::int64_t now = 0;
        for (int round = 0; round < 4; ++round) {
            trace.kernel(0, "7", "a_gemm", now, 3 * s);
            trace.kernel(0, "8", "layer_norm", now + s, s);
            trace.kernel(0, "9", "ncclDevKernel_AllReduce", now + 2 * s, 2 * s, 0,
                R"({"Process Group Description":"TP","Process Group Ranks":"[0, 1]"})");
            trace.work(0, "7", SpanKind::Copy, "Memcpy DtoD", now + 4 * s, s);
            for (const double watts : {650.0, 600.0, 500.0, 250.0, 390.0, 100.0}) {
                now += s;
                levels.emplace_back(now, watts);
            }
        }
        trace.kernel(0, "7", "a_gemm", now, kMs); // ends the trace
        levels.emplace_back(now + kMs, 650.0);
        const auto wattsAt = [&levels](std::int64_t t) {
            for (const auto& [until, watts] : levels) {
                if (t >= 0 && t < until)
                    return watts;
            }
            return 80.0;
        };
        for (std::int64_t t = -s; t < now + s; t += 10 * kMs) {
            double mean = 0.0;
            for (int ms = 1; ms <= 25; ++ms)
                mean += wattsAt(t - ms * kMs) / 25.0;
            trace.power(0, t, mean);
        }
        const auto found = energyOf(trace);
        QCOMPARE(found.gpus.size(), std::size_t{1});
        QCOMPARE(found.gpus[0].coverage, 1.0);
        const auto near = [](const PartEnergy& actual, double expected) {
            return actual.known && std::abs(actual.known->joules / expected - 1.0) < 0.02
                && actual.known->low <= 1.001 * expected && expected <= 1.001 * actual.known->high;
        };
        const AttributedEnergy& energy = found.sum;
        QVERIFY(near(energy.total, 4 * 2490.0));
        QVERIFY(near(energy.phases[Phase::Compute], 4 * 1250.0));
        QVERIFY(near(energy.phases[Phase::CommunicationHidden], 4 * 500.0));
        QVERIFY(near(energy.phases[Phase::CommunicationExposed], 4 * 250.0));
        QVERIFY(near(energy.phases[Phase::Copy], 4 * 390.0));
        QVERIFY(near(energy.phases[Phase::Idle], 4 * 100.0));
        QVERIFY(near(energy.categories.at("gemm"), 4 * (650.0 + 325.0 + 500.0)));
        QVERIFY(near(energy.categories.at("normalisation"), 4 * 275.0));
        QVERIFY(near(energy.categories.at("copy"), 4 * 390.0));
        QVERIFY(near(energy.collectives.at("all_reduce").exposed, 4 * 250.0));
        QVERIFY(near(energy.collectives.at("all_reduce").hidden, 4 * 500.0));
        QVERIFY(near(energy.communicators.at("all_reduce in TP [0, 1]").hidden, 4 * 500.0));
    }
    // A norm that never runs but beside gemm has no energy of its own, and both together do.
    void whatAlwaysRunsTogetherIsNotToldApart() {
        Truth truth;
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        std::mt19937 random(7);
        std::int64_t now = 1'000 * kMs;
        while (now < 21'000 * kMs) {
            const std::int64_t work = (100 + static_cast<std::int64_t>(random() % 200)) * kMs;
            trace.kernel(0, "7", "a_gemm", now, work);
            trace.kernel(0, "8", "layer_norm", now, work);
            truth.intervals.push_back({Phase::Compute, now, now + work, 600.0});
            truth.intervals.push_back({Phase::Idle, now + work, now + work + 150 * kMs, 100.0});
            now += work + 150 * kMs;
        }
        plantPower(trace, truth, 25e6, 20 * kMs, 0, now + 1'000 * kMs);
        const auto found = energyOf(trace);
        const auto& compute = found.sum.phases[Phase::Compute].known;
        QVERIFY(compute && std::abs(compute->joules / truth.of(Phase::Compute) - 1.0) < 0.01);
        for (const char* category : {"gemm", "normalisation"}) {
            const PartEnergy& energy = found.sum.categories.at(category);
            QVERIFY2(!energy.known, category);
            QCOMPARE(energy.unknown, std::optional(NoEnergy::NotTold));
        }
    }
    void stagesAndGpusAddUp() {
        PlantedTrace trace;
        trace.run.launch.pipelineParallel = 2;
        trace.run.launch.tensorParallel = 2;
        trace.run.worldSize = 4;
        for (int rank = 0; rank < 4; ++rank) {
            trace.kernel(rank, "7", "a_gemm", 0, 2'000 * kMs);
            for (int i = -100; i < 300; ++i)
                trace.power(rank, i * 10 * kMs, 100.0 * (rank + 1));
        }
        const auto found = energyOf(trace);
        QCOMPARE(found.gpus.size(), std::size_t{4});
        const auto near = [](const PartEnergy& actual, double expected) {
            return actual.known && std::abs(actual.known->joules / expected - 1.0) < 0.005;
        };
        QVERIFY(near(found.stages.at(0), 600.0));
        QVERIFY(near(found.stages.at(1), 1400.0));
        QVERIFY(near(found.sum.total, 2000.0));
        QVERIFY(near(found.sum.phases[Phase::Compute], 2000.0));
    }
    void nothingWithoutPowerAtThatTime() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a_gemm", 0, 100 * kMs);
        for (int i = 0; i < 100; ++i)
            trace.power(0, 5'000 * kMs + i * 10 * kMs, 100.0);
        const auto late = energyOf(trace);
        QVERIFY(late.gpus.empty());
        QCOMPARE(late.unknown.at(0), NoEnergy::NoPower);
        PlantedTrace other;
        other.kernel(0, "7", "a_gemm", 0, 100 * kMs);
        QCOMPARE(energyOf(other).unknown.at(0), NoEnergy::NoPower);
    }
    // Two devices of one rank; and a trace of 30 ms with three readings.
    void whatIsNotKnownSaysWhy() {
        PlantedTrace two;
        two.devices["8"] = 1;
        two.kernel(0, "7", "a_gemm", 0, 100 * kMs);
        two.kernel(0, "8", "a_gemm", 0, 100 * kMs);
        PlantedTrace brief;
        brief.kernel(0, "7", "a_gemm", 0, 30 * kMs);
        for (int i = -10; i < 30; ++i) {
            two.power(0, i * 10 * kMs, 100.0);
            brief.power(0, i * 10 * kMs, 100.0);
        }
        const auto several = energyOf(two);
        QVERIFY(several.gpus.empty());
        QCOMPARE(several.unknown.at(0), NoEnergy::SeveralDevices);
        const auto few = energyOf(brief);
        QCOMPARE(few.gpus.size(), std::size_t{1});
        QVERIFY(!few.sum.total.known);
        QCOMPARE(few.sum.phases[Phase::Compute].unknown.value(), NoEnergy::TooFewReadings);
    }
    // Phases of 30 to 200 ms behind an average of 0.5 s: estimated to 5 %, by phase, category,
    // collective and iteration.
    void shortPhasesAreEstimated() {
        std::mt19937 random(23);
        Truth truth;
        std::int64_t now = 1'000 * kMs;
        while (now < 31'000 * kMs) {
            for (const auto& [phase, watts] :
                {std::pair{Phase::Forward, 560.0}, std::pair{Phase::Backward, 640.0},
                    std::pair{Phase::CommunicationExposed, 310.0},
                    std::pair{Phase::Idle, Truth::kIdleW}}) {
                const std::int64_t length = (30 + static_cast<std::int64_t>(random() % 170)) * kMs;
                truth.intervals.push_back({phase, now, now + length, watts});
                now += length;
            }
        }
        truth.intervals.pop_back();
        now = truth.intervals.back().end;
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        plantTrace(trace, truth);
        for (std::int64_t t = 0; t < now + 3'000 * kMs; t += 50 * kMs) {
            const auto at = static_cast<double>(t);
            trace.power(0, t,
                std::round((truth.energyUntil(at) - truth.energyUntil(at - 500e6)) / 0.5
                    + static_cast<double>(random() % 9) - 4.0));
        }
        const std::int64_t middle = now / 2;
        const EnergyOptions options{kAllTime, {},
            {{{1, {{1'000 * kMs}, {middle}}, 0, false}, {2, {{middle}, {now}}, 0, false}}, {}}, {},
            false};
        const auto found = energyOf(trace, options);
        const auto isNear = [](const PartEnergy& part, double expected) {
            const auto& energy = part.known;
            return energy && std::abs(energy->joules / expected - 1.0) < 0.05
                && energy->high - energy->low < 0.3 * expected && energy->low <= energy->joules
                && energy->joules <= energy->high;
        };
        double sum = 0.0;
        double whole = 0.0;
        for (const Phase phase :
            {Phase::Forward, Phase::Backward, Phase::CommunicationExposed, Phase::Idle}) {
            const PartEnergy& energy = found.sum.phases[phase];
            QVERIFY2(isNear(energy, truth.of(phase)), toString(phase).data());
            sum += energy.known->joules;
            whole += truth.of(phase);
        }
        QVERIFY(found.sum.phases[Phase::Compute].isNothing());
        QVERIFY(isNear(found.sum.total, whole));
        QVERIFY(std::abs(sum - found.sum.total.known->joules) < 1e-6 * sum);
        const double communication = truth.of(Phase::CommunicationExposed);
        QVERIFY(isNear(found.sum.categories.at("all_reduce"), communication));
        QVERIFY(isNear(found.sum.collectives.at("all_reduce").exposed, communication));
        QVERIFY(
            isNear(found.sum.communicators.at("all_reduce in DP [0, 1]").exposed, communication));
        double categories = 0.0;
        for (const auto& [name, energy] : found.sum.categories)
            categories += energy.known->joules;
        QVERIFY(std::abs(categories - sum) < 1e-6 * sum);
        for (const IterationEnergy& iteration : found.sum.iterations) {
            const double begin = iteration.index == 1 ? 1e9 : static_cast<double>(middle);
            const double end = static_cast<double>(iteration.index == 1 ? middle : now);
            const double expected = truth.energyUntil(end) - truth.energyUntil(begin);
            QVERIFY(std::abs(iteration.total.known->joules / expected - 1.0) < 0.01);
            double phases = 0.0;
            for (const Phase phase : kAllPhases)
                phases += iteration.phases[phase];
            QVERIFY(std::abs(phases - iteration.total.known->joules) < 1e-6 * phases);
        }
        const auto& sensor = found.gpus[0].sensor;
        QVERIFY(sensor && std::abs(sensor->windowS - 0.5) < 0.02);
        QVERIFY(std::abs(sensor->delayS - 0.25) < 0.02);
    }
    // Two captures of 6 s with 20 s between them, in which the GPU draws 700 W: they count for
    // nothing there, each has its own energy, and idle ends with the last work of each.
    void capturesAreTheTracedTime() {
        Truth truth;
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        for (const std::int64_t begin : {2'000 * kMs, 28'000 * kMs}) {
            std::int64_t now = begin;
            for (int round = 0; round < 6; ++round) {
                for (const auto& [phase, watts, ms] : {std::tuple{Phase::Forward, 500.0, 400},
                         std::tuple{Phase::Backward, 650.0, 400},
                         std::tuple{Phase::Idle, 120.0, 200}}) {
                    truth.intervals.push_back({phase, now, now + ms * kMs, watts});
                    now += ms * kMs;
                }
            }
            truth.intervals.pop_back();
            trace.captures.push_back({begin == 2'000 * kMs ? "early" : "late", 0,
                {{begin - 50 * kMs}, {now + 50 * kMs}}});
        }
        plantTrace(trace, truth);
        Truth power = truth;
        power.intervals.push_back({Phase::Idle, 8'000 * kMs, 28'000 * kMs, 700.0});
        plantPower(trace, power, 25e6, 20 * kMs, 0, 37'000 * kMs);
        const auto found = energyOf(trace);
        QCOMPARE(found.gpus.size(), std::size_t{1});
        QVERIFY(std::abs(found.gpus[0].traced.seconds() - 2 * 5.8) < 1e-6);
        for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Idle}) {
            const auto& energy = found.sum.phases[phase].known;
            QVERIFY2(energy && std::abs(energy->joules / truth.of(phase) - 1.0) < 0.03,
                qPrintable(QStringLiteral("%1: %2, truly %3")
                               .arg(QString::fromStdString(std::string(toString(phase))))
                               .arg(energy ? energy->joules : -1.0)
                               .arg(truth.of(phase))));
        }
        const double half
            = (truth.of(Phase::Forward) + truth.of(Phase::Backward) + truth.of(Phase::Idle)) / 2.0;
        QCOMPARE(found.sum.captures.size(), std::size_t{2});
        for (const auto& [name, energy] : found.sum.captures) {
            QVERIFY2(
                energy.known && std::abs(energy.known->joules / half - 1.0) < 0.02, name.c_str());
        }
    }
    // Kernels of one category at 650 and 350 W, in turn of changing length: each has its own
    // energy.
    void kernelsOfACategoryHaveTheirOwn() {
        std::mt19937 random(5);
        Truth truth;
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        std::int64_t now = 1'000 * kMs;
        std::map<std::string, double> joules;
        while (now < 21'000 * kMs) {
            for (const auto& [name, watts] :
                {std::pair{"a_gemm", 650.0}, std::pair{"b_gemm", 350.0}}) {
                const std::int64_t length = (40 + static_cast<std::int64_t>(random() % 160)) * kMs;
                trace.kernel(0, "7", name, now, length);
                truth.intervals.push_back({Phase::Compute, now, now + length, watts});
                joules[name] += watts * static_cast<double>(length) * 1e-9;
                now += length;
            }
        }
        plantPower(trace, truth, 25e6, 20 * kMs, 0, now + 1'000 * kMs);
        EnergyOptions options;
        options.byKernel = true;
        const auto found = energyOf(trace, options);
        for (const auto& [name, expected] : joules) {
            const KernelEnergy kernel = energyOfName(found.sum.kernels, name);
            QVERIFY2(kernel.energy.known.has_value(), name.c_str());
            QVERIFY2(std::abs(kernel.energy.known->joules / expected - 1.0) < 0.05, name.c_str());
            QVERIFY(kernel.energy.known->low <= 1.001 * expected);
            QVERIFY(expected <= 1.001 * kernel.energy.known->high);
        }
        VERIFY_NEAR(energyOfName(found.sum.kernels, "a_gemm").energy.known->joules
                + energyOfName(found.sum.kernels, "b_gemm").energy.known->joules,
            found.sum.categories.at("gemm").known->joules,
            1e-6 * found.sum.categories.at("gemm").known->joules);
    }
    // 20 kernels of 110 ms at 650 W in a window; another kernel of their category runs before and
    // behind it only: 1430 J are the category's and the kernel's alike.
    void theOnlyKernelOfItsCategoryInAWindow() {
        Truth truth;
        PlantedTrace trace;
        trace.run.gpuModel = "NVIDIA H100 80GB HBM3";
        trace.sensor = SensorKind::Instant;
        const TimeRange window{{5'000 * kMs}, {9'000 * kMs}};
        for (std::int64_t now = 1'000 * kMs; now < 13'000 * kMs; now += 200 * kMs) {
            const bool isInside = window.begin.ns <= now && now < window.end.ns;
            trace.kernel(0, "7", isInside ? "a_gemm" : "b_gemm", now, 110 * kMs);
            truth.intervals.push_back({Phase::Compute, now, now + 110 * kMs, 650.0});
        }
        plantPower(trace, truth, 25e6, 20 * kMs, 0, 14'000 * kMs);
        EnergyOptions options;
        options.window = window;
        options.byKernel = true;
        const auto found = energyOf(trace, options);
        const auto& category = found.sum.categories.at("gemm").known;
        const auto kernel = energyOfName(found.sum.kernels, "a_gemm").energy.known;
        QVERIFY(category && kernel);
        QVERIFY(std::abs(category->joules / 1430.0 - 1.0) < 0.03);
        QCOMPARE(kernel->joules, category->joules);
        QCOMPARE(kernel->low, category->low);
        QCOMPARE(kernel->high, category->high);
        QVERIFY(energyOfName(found.sum.kernels, "b_gemm").energy.isNothing());
    }

    // Power on another clock than the trace's, and sensors that repeat themselves.

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
        const auto lags = powerLags(studyOf(store)).value();
        QCOMPARE(lags.size(), std::size_t{1});
        const PowerLag lag = lags.at(0);
        QVERIFY2(std::abs(static_cast<double>(lag.lag.ns - kLate)) <= lag.errorNs + 25e6,
            std::to_string(lag.lag.ns).c_str());
        const auto found = energyByPhase(studyOf(store)).value();
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
        const auto lags = powerLags(studyOf(store)).value();
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
        const auto found = energyByPhase(studyOf(store)).value();
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
        const auto found = got(energyByPhase(studyOf(store)));
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
        const auto lags = got(telemetryLags(studyOf(store)));
        QCOMPARE(lags.ranks.size(), std::size_t{1});
        QVERIFY(std::abs(lags.ranks[0].lagS - 0.3) <= lags.ranks[0].errorS);
    }

    // A trace of 799 quarters of a sample's 50 ms, power over the first 480 of them and to their
    // end: of 800 values 480 are wanted.
    void threeFifthsOfATraceTellTheLag() {
        PlantedTrace trace;
        const std::int64_t end = 799 * 25 * kMs / 2;
        std::int64_t now = 0;
        std::int64_t read = 0;
        for (std::int64_t i = 0; now < end; ++i) {
            const std::int64_t waits = now + (150 + 97 * (i * i % 8)) * kMs;
            const std::int64_t next = waits + (150 + 113 * (3 * i % 7)) * kMs;
            trace.kernel(0, "7", "a_gemm", now, std::min(waits, end) - now);
            for (; read < next && read <= 6'000 * kMs; read += 50 * kMs)
                trace.power(0, read, read < waits ? 600.0 : 150.0);
            now = next;
        }
        trace.kernel(0, "8", "a_gemm", end - kMs, kMs);
        const auto store = trace.store();
        QCOMPARE(got(telemetryLags(studyOf(store))).ranks.size(), std::size_t{1});
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
        EnergyOptions options;
        options.iterations.all = got(iterationsOf(studyOf(store))).everyOne();
        QCOMPARE(options.iterations.all.size(), std::size_t{2});
        const auto found = got(energyByPhase(studyOf(store), options)).sum.iterations;
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

TRAINSCOPE_TEST(tst_EnergyByPhase)
#include "tst_EnergyByPhase.moc"
