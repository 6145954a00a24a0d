// Iterations and steady state of runs whose truth is planted in the store.

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/PowerPeriod.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

constexpr std::int64_t kSteadyBegin = 1'735'689'600'000'000'000;

std::int64_t ns(double seconds) {
    return std::llround(seconds * 1e9);
}
TimeNs at(double seconds) {
    return {kSteadyBegin + ns(seconds)};
}
double secondsOf(TimeNs time) {
    return static_cast<double>(time.ns - kSteadyBegin) * 1e-9;
}

class Database {
public:
    explicit Database(const LaunchConfig& launch = {}) { m_trace.run.launch = launch; }

    void gpu(int rank) { m_trace.gpus.push_back({rank, rank / 4, rank % 4, {}, {}}); }
    // Samples every `period` seconds, displaced by up to `jitter` periods.
    void series(int rank, const char* metric, double duration, double period, double jitter,
        const std::function<double(double)>& shape) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject = {SubjectKind::Gpu, rank, -1, {}};
        std::uniform_real_distribution<double> shift(-jitter, jitter);
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (double t = 0.0; t < duration; t += period) {
            const double moment = std::max(t + shift(m_random) * period, 0.0);
            times.push_back(at(moment));
            values.push_back(shape(moment));
        }
        m_trace.series(description, times, values);
    }
    void span(int rank, const std::string& name, double from, double to,
        SpanKind kind = SpanKind::Annotation) {
        m_trace.host(rank, "1", kind, name, at(from).ns, ns(to) - ns(from));
    }
    void iteration(std::int64_t index, int rank, double from, double to) {
        m_trace.iteration(rank, index, at(from).ns, at(to).ns);
    }
    void finish() { m_store.emplace(m_trace.store()); }
    void enterLayout(const char* spec) {
        const auto done = store::setEnteredLayout(*m_store, run().id, spec);
        QVERIFY2(done.hasValue(), done.hasValue() ? "" : done.error().message.c_str());
    }

    [[nodiscard]] const store::Store& store() const { return *m_store; }
    [[nodiscard]] Run run() const { return m_store->findRun("run").value(); }

private:
    test::PlantedTrace m_trace;
    std::optional<store::Store> m_store;
    std::mt19937 m_random{7};
};

// Four warm-up iterations of 5 s, then 56 of 2.5 s, power 300 W and 600 W in each, from second 10.
double powerAt(double t) {
    const double phase = t < 10.0 ? 0.9
        : t < 30.0                ? std::fmod((t - 10.0) / 5.0, 1.0)
        : t < 170.0               ? std::fmod((t - 30.0) / 2.5, 1.0)
                                  : 0.9;
    return phase < 0.6 ? 600.0 : 300.0;
}

LaunchConfig trained() {
    LaunchConfig launch;
    launch.globalBatch = 64;
    return launch;
}

struct PlantedPower {
    double period = 2.0; // s
    double step = 0.1; // s
    int iterations = 40;
    int microBatches = 1; // ripples within an iteration
    double ripple = 0.0; // their swing / that of the iteration
    double noise = 0.05; // its deviation / the swing of the iteration
    double jitter = 0.0; // relative deviation of the durations
    int warmup = 0; // the first ones take warmupFactor times as long
    double warmupFactor = 2.0;
    double before = 5.0; // s of idling before and after
    double busy = 0.7; // share of an iteration at full power
    unsigned seed = 1;
};

struct Made {
    UniformSeries signal;
    std::vector<double> begins; // s, of every iteration, and the end of the last
};

Made make(const PlantedPower& p) {
    std::mt19937 random(p.seed);
    std::normal_distribution<double> normal;
    Made made;
    double t = p.before;
    for (int i = 0; i < p.iterations; ++i) {
        made.begins.push_back(t);
        const double factor = i < p.warmup ? p.warmupFactor : 1.0;
        t += p.period * factor * std::max(1.0 + p.jitter * normal(random), 0.7);
    }
    made.begins.push_back(t);
    made.signal.step = {std::llround(p.step * 1e9)};
    std::size_t k = 0;
    for (double now = 0.0; now < t + p.before; now += p.step) {
        while (k + 1 < made.begins.size() && now >= made.begins[k + 1])
            ++k;
        double value = 100.0;
        if (now >= made.begins[0] && k + 1 < made.begins.size()) {
            const double phase = (now - made.begins[k]) / (made.begins[k + 1] - made.begins[k]);
            value = phase < p.busy ? 700.0 : 300.0;
            if (phase < p.busy && p.ripple > 0.0)
                value -= std::fmod(phase / p.busy * p.microBatches, 1.0) > 0.7 ? 400.0 * p.ripple
                                                                               : 0.0;
        }
        made.signal.values.push_back(value + 400.0 * p.noise * normal(random));
    }
    return made;
}

// The distance of the found boundaries from the nearest planted ones that 95 % keep, in seconds.
double usualError(const std::vector<TimeRange>& found, const std::vector<double>& planted) {
    std::vector<double> distances;
    for (const TimeRange& range : found) {
        for (const TimeNs boundary : {range.begin, range.end}) {
            double nearest = 1e9;
            for (const double one : planted)
                nearest
                    = std::min(nearest, std::abs(static_cast<double>(boundary.ns) * 1e-9 - one));
            distances.push_back(nearest);
        }
    }
    std::sort(distances.begin(), distances.end());
    return distances.empty() ? 0.0 : distances[distances.size() * 95 / 100];
}

TimeRange seconds(std::int64_t begin, std::int64_t end) {
    return {{begin * 1'000'000'000}, {end * 1'000'000'000}};
}

} // namespace

class tst_SteadyState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesOfIterations() {
        using Name = IterationName;
        QVERIFY(iterationName("ProfilerStep#12") == Name({"ProfilerStep", 12}));
        QVERIFY(iterationName("iteration 7") == Name({"iteration", 7}));
        QVERIFY(iterationName("step_12/100") == Name({"step", 12}));
        QVERIFY(iterationName("Iter [5]") == Name({"Iter", 5}));
        QVERIFY(iterationName("train_step") == Name({"train_step", std::nullopt}));
        QVERIFY(iterationName("[pl][profile]run_training_batch")
            == Name({"[pl][profile]run_training_batch", std::nullopt}));
        for (const char* other :
            {"Optimizer.step#Adam.step", "micro-batch 3", "aten::mm", "stepwise 3",
                "nccl:all_reduce", "step", "footstep", "layer 3", "step 3 backward"}) {
            if (std::string(other) != "step")
                QVERIFY2(!iterationName(other), other);
        }
    }

    // Ranks whose clocks differ by a little, each with two iterations: the run's lie at the middle.
    void recordedOnesOfSeveralRanks() {
        Database database;
        for (int rank = 0; rank < 3; ++rank) {
            for (int k = 0; k < 5; ++k)
                database.iteration(k, rank, 10.0 * k + rank, 10.0 * (k + 1) + rank);
        }
        database.finish();
        const auto found = iterationsOf({database.store(), database.run()}).value();
        QVERIFY(found.basis == IterationBasis::Recorded);
        QCOMPARE(found.iterations.size(), std::size_t{5});
        QCOMPARE(secondsOf(found.iterations[2].range.begin), 21.0);
        QCOMPARE(secondsOf(found.iterations[2].range.end), 31.0);
        QCOMPARE(found.of(2).at(1).range.begin, at(12.0));
        QCOMPARE(found.of(9).size(), std::size_t{5});
        QVERIFY(std::abs(*found.frequencyHz - 0.1) < 1e-9);
    }

    // Three hosts, whose clocks are 0, 5 and 9 s ahead, reduce together in ten steps of a second
    // and more: the run's iterations are on the clock of rank 0, not on the middle one.
    void recordedOnesOnOtherClocks() {
        test::PlantedRun planted;
        planted.clocks[1].offsetNs = 5'000'000'000;
        planted.clocks[2].offsetNs = 9'000'000'000;
        const std::vector<int> ranks{0, 1, 2};
        std::int64_t now = 0;
        for (std::int64_t k = 0; k < 10; ++k) {
            const std::int64_t work = 1'000'000'000 + k * k % 7 * 10'000'000;
            for (const int rank : ranks)
                planted.iterations.push_back({k, {{now}, {now + work + 1'000}}, rank, false});
            planted.addCollective(ranks, {now + work, now + work, now + work}, 1'000,
                test::collectiveDetail("allreduce", 1 << 20, "world", ranks),
                [] { return std::int64_t{0}; });
            now += work + 1'000;
        }
        const auto store = planted.stored();
        const auto found = iterationsOf(test::studyOf(store)).value();
        QCOMPARE(found.iterations.size(), std::size_t{10});
        for (std::size_t k = 0; k < 10; ++k) {
            const TimeNs begin{test::kEpoch + planted.iterations[3 * k].range.begin.ns};
            QVERIFY(std::abs((found.iterations[k].range.begin - begin).ns) < 100'000);
        }
        QCOMPARE(found.of(1).front().range.begin, (TimeNs{test::kEpoch + 5'000'000'000}));
    }

    // A log with iterations 1 to 100 of 1 s, and two ranks profiled from 50 to 54 s by profilers
    // that count from 2: the run's are the log's, the ranks' their own.
    void aLogAndTracesThatCountByThemselves() {
        Database database;
        for (int k = 0; k < 100; ++k)
            database.iteration(k + 1, -1, k, k + 1);
        for (int rank = 0; rank < 2; ++rank) {
            for (int k = 0; k < 4; ++k)
                database.iteration(k + 2, rank, 50.0 + k, 51.0 + k);
        }
        database.finish();
        const auto found = iterationsOf({database.store(), database.run()}).value();
        QCOMPARE(found.iterations.size(), std::size_t{100});
        for (std::size_t k = 0; k < 100; ++k) {
            QCOMPARE(found.iterations[k].index, static_cast<std::int64_t>(k) + 1);
            QCOMPARE(secondsOf(found.iterations[k].range.begin), static_cast<double>(k));
        }
        QCOMPARE(found.of(1).size(), std::size_t{4});
        QCOMPARE(found.everyOne().size(), std::size_t{108});
    }

    // The second copy is 10 ms behind; neighbours of one copy overlap by a nanosecond.
    void theSameLogTwice() {
        Database database;
        for (const double behind : {0.0, 0.01}) {
            for (int k = 0; k < 10; ++k)
                database.iteration(k, -1, k + behind, k + 1 + behind + 1e-9);
        }
        database.finish();
        const auto found = iterationsOf({database.store(), database.run()}).value();
        QCOMPARE(found.iterations.size(), std::size_t{10});
        QCOMPARE(secondsOf(found.iterations[9].range.begin), 9.0);
    }

    // Annotations beside kernels and smaller ranges; those that cover most are the iterations.
    void annotations() {
        Database database;
        for (int rank = 0; rank < 2; ++rank) {
            for (int k = 0; k < 6; ++k) {
                const double from = 2.0 * k + 0.01 * rank;
                database.span(rank, "iteration " + std::to_string(k + 3), from, from + 1.9);
                database.span(rank, "batch " + std::to_string(k), from, from + 0.5);
                database.span(rank, "train_step", from + 0.5, from + 1.7);
                database.span(rank, "aten::mm", from, from + 0.1, SpanKind::CpuOp);
                for (int m = 0; m < 4; ++m)
                    database.span(rank, "microbatch " + std::to_string(m), from, from + 0.1);
            }
        }
        database.finish();
        const auto found = iterationsOf({database.store(), database.run()}).value();
        QVERIFY(found.basis == IterationBasis::Recorded);
        QCOMPARE(found.origin, std::string("ranges 'iteration'"));
        QCOMPARE(found.iterations.size(), std::size_t{6});
        QCOMPARE(found.iterations.front().index, std::int64_t{3});
        QCOMPARE(found.of(1).front().range.begin, at(0.01));
        QVERIFY(std::abs(*found.frequencyHz - 0.5) < 1e-6);
    }

    // Power sampled at 10 Hz with jitter on 8 GPUs; temperatures that settle at about 60 s.
    void fromPower() {
        Database database(trained());
        for (int rank = 0; rank < 8; ++rank) {
            database.gpu(rank);
            database.series(rank, "gpu_power", 180.0, 0.1, 0.3, powerAt);
            database.series(rank, "gpu_temperature", 180.0, 0.1, 0.0,
                [](double t) { return 70.0 - 30.0 * std::exp(-t / 15.0); });
        }
        database.finish();
        const auto found = iterationsOf({database.store(), database.run()}).value();
        QVERIFY(found.basis == IterationBasis::PowerPeriod);
        QVERIFY2(found.iterations.size() >= 59 && found.iterations.size() <= 61,
            qPrintable(QString::number(found.iterations.size())));
        QVERIFY(std::abs(*found.frequencyHz - 0.4) <= 3.0 * *found.frequencyErrorHz + 1e-4);
        const double error = 2.0 * found.boundaryError->seconds();
        int warmup = 0;
        for (const Iteration& one : found.iterations)
            warmup += one.warmup ? 1 : 0;
        QCOMPARE(warmup, 4);
        QVERIFY(std::abs(secondsOf(found.iterations[4].range.begin) - 30.0) <= error);

        const auto steady = steadyStateOf({database.store(), database.run()}).value();
        QVERIFY(steady.basis == SteadyBasis::Iterations);
        QCOMPARE(steady.warmupIterations, std::int64_t{4});
        QVERIFY(steady.unsettledIterations > 0);
        const double from = secondsOf(steady.window.begin);
        QVERIFY(
            from >= secondsOf(*steady.settledFrom) && from < secondsOf(*steady.settledFrom) + 2.5);
        QVERIFY(std::abs(std::remainder(from - 30.0, 2.5)) <= error);
        QVERIFY(secondsOf(steady.window.end) <= 170.0 + error);

        // Whole iterations: 60 % at 600 W, the rest at 300 W.
        const auto summary = summarise({database.store(), database.run()}, steady.window).value();
        const double length = steady.window.length().seconds();
        QVERIFY(std::abs(*summary.metrics.at("gpu_power").all.mean - 480.0) < 3.0);
        QVERIFY(std::abs(summary.energy->joules / (8.0 * 480.0 * length) - 1.0) < 0.01);
        QCOMPARE(summary.duration, steady.window.length());
        QVERIFY(summary.energy->coverage > 0.999);
    }

    // Somebody says that there were steps, or the power repeats and nothing more.
    void thePeriodOfPowerAloneIsNoStep() {
        LaunchConfig machine;
        machine.nodes = 1;
        machine.gpusPerNode = 1;
        machine.origin = "a scheduler";
        const auto found = [](const LaunchConfig& launch, const char* metric = nullptr,
                               const char* entered = nullptr) {
            Database database(launch);
            database.gpu(0);
            database.series(0, "gpu_power", 180.0, 0.1, 0.3, powerAt);
            if (metric != nullptr)
                database.series(0, metric, 180.0, 2.5, 0.0, [](double) { return 2.5; });
            database.finish();
            if (entered != nullptr)
                database.enterLayout(entered);
            return iterationsOf({database.store(), database.run()}).value();
        };
        for (const LaunchConfig& launch : {LaunchConfig(), machine}) {
            const RunIterations none = found(launch);
            QVERIFY(none.basis == IterationBasis::None && none.iterations.empty());
            QVERIFY(!none.frequencyHz);
            // Four repetitions of 5 s and 56 of 2.5 s: 2.67 s in the mean.
            QVERIFY(none.powerPeriodS && std::abs(*none.powerPeriodS - 160.0 / 60.0) < 0.06);
            QVERIFY2(none.origin.starts_with("power repeats every 2."), none.origin.c_str());
            QCOMPARE(powerPeriodText(none), none.origin.substr(0, none.origin.find(',')));
        }
        for (const RunIterations& steps : {found(trained()), found({}, "step_tokens"),
                 found({}, "token_rate"), found({}, nullptr, R"({"tp":2})")}) {
            QVERIFY(steps.basis == IterationBasis::PowerPeriod && !steps.powerPeriodS);
            QVERIFY(powerPeriodText(steps).empty());
        }
    }

    void withoutAPeriodItIsTheWholeRun() {
        Database database;
        database.gpu(0);
        std::mt19937 random(3);
        std::normal_distribution<double> noise(500.0, 20.0);
        database.series(0, "gpu_power", 100.0, 0.1, 0.0, [&](double) { return noise(random); });
        database.finish();
        const auto found = iterationsOf({database.store(), database.run()}).value();
        QVERIFY(found.basis == IterationBasis::None);
        QVERIFY(!found.frequencyHz);
        const auto steady = steadyStateOf({database.store(), database.run()}).value();
        QVERIFY(steady.isWholeRun);
        QVERIFY(steady.window == database.run().range);
        VERIFY_SAYS(steady.wording, "no clear period");
    }

    // 0.1 °C a second: 15 °C within the last quarter of 600 s, where 5 % of the rise are settled.
    void temperaturesThatNeverSettle() {
        for (const int gpus : {1, 2}) {
            Database database;
            for (int rank = 0; rank < gpus; ++rank) {
                database.gpu(rank);
                database.series(rank, "gpu_temperature", 600.0, 1.0, 0.0,
                    [rank](double t) { return rank == 0 ? 30.0 + 0.1 * t : 70.0; });
            }
            database.finish();
            const auto steady = steadyStateOf({database.store(), database.run()}).value();
            QVERIFY(!steady.settledFrom);
            VERIFY_SAYS(steady.wording,
                gpus == 1 ? "the GPU's temperature never settled"
                          : "the temperatures of 1 of 2 GPUs never settled");
        }
    }

    // PlantedPower iterations in a generated power signal: found in number, length and place within
    // the stated error, whatever the period, the noise and the sampling.

    void planted_data() {
        const auto row = test::columns<double, double, int, int, double, double, double, int>(
            "period", "step", "iterations", "microBatches", "ripple", "noise", "jitter", "warmup");
        row("plain", 2.0, 0.1, 40, 1, 0.0, 0.05, 0.0, 0);
        row("short", 0.23, 0.05, 400, 1, 0.0, 0.05, 0.0, 0);
        row("shortest", 0.2, 0.05, 300, 1, 0.0, 0.1, 0.01, 0);
        row("fine", 0.2, 0.01, 300, 1, 0.0, 0.1, 0.02, 0);
        row("between samples", 0.437, 0.1, 300, 1, 0.0, 0.05, 0.0, 0);
        row("long", 30.0, 0.1, 12, 1, 0.0, 0.1, 0.01, 0);
        row("few", 12.3, 0.1, 11, 1, 0.0, 0.1, 0.01, 2);
        row("noise", 3.3, 0.1, 100, 1, 0.0, 0.5, 0.01, 0);
        row("jitter", 3.3, 0.1, 100, 1, 0.0, 0.1, 0.05, 0);
        row("warm-up", 3.0, 0.1, 60, 1, 0.0, 0.1, 0.02, 10);
        row("four micro-batches", 4.0, 0.1, 50, 4, 0.5, 0.1, 0.01, 3);
        row("deep ripples", 8.0, 0.1, 40, 8, 0.8, 0.1, 0.01, 3);
        row("as deep as the iteration", 6.4, 0.05, 40, 8, 1.0, 0.05, 0.0, 0);
    }

    void planted() {
        QFETCH(double, period);
        QFETCH(double, step);
        QFETCH(int, iterations);
        QFETCH(int, microBatches);
        QFETCH(double, ripple);
        QFETCH(double, noise);
        QFETCH(double, jitter);
        QFETCH(int, warmup);
        for (unsigned seed = 1; seed <= 5; ++seed) {
            PlantedPower p;
            p.period = period;
            p.step = step;
            p.iterations = iterations;
            p.microBatches = microBatches;
            p.ripple = ripple;
            p.noise = noise;
            p.jitter = jitter;
            p.warmup = warmup;
            p.seed = seed;
            const Made made = make(p);
            const auto found = findPeriod(made.signal);
            QVERIFY2(found.has_value(), qPrintable(QStringLiteral("seed %1").arg(seed)));
            qInfo() << "period" << found->steps * step << "of" << period << "strength"
                    << found->strength;
            QVERIFY(std::abs(found->steps * step / period - 1.0) < 0.03);
            const auto ranges = trackPeriods(made.signal, found->steps);
            qInfo() << "found" << ranges.size() << "of" << iterations << "error"
                    << usualError(ranges, made.begins);
            QVERIFY(std::abs(static_cast<int>(ranges.size()) - iterations) <= 2);
            const double within = 2.0 * step + 0.01 * period + 0.1 * noise * period;
            QVERIFY(usualError(ranges, made.begins) <= within);
        }
    }

    // The shortest signal that tells a period: 32 values.
    void aFewValuesTellAShortPeriod() {
        UniformSeries signal;
        for (int i = 0; i < 31; ++i)
            signal.values.push_back(i % 5 < 2 ? 500.0 : 100.0);
        QVERIFY(!findPeriod(signal));
        signal.values.push_back(500.0);
        const auto found = findPeriod(signal);
        QVERIFY(found && std::abs(found->steps - 5.0) < 0.1);
    }

    void noPeriodInNoise() {
        int falsely = 0;
        for (unsigned seed = 1; seed <= 40; ++seed) {
            std::mt19937 random(seed);
            std::normal_distribution<double> normal;
            UniformSeries signal;
            signal.step = {100'000'000};
            const double memory = seed % 4 == 0 ? 0.0 : 1.0 - std::pow(10.0, -0.5 * (seed % 4 + 1));
            double value = 0.0;
            for (int i = 0; i < 3000; ++i) {
                value = memory * value + normal(random);
                signal.values.push_back(500.0 + 20.0 * value);
            }
            const auto found = findPeriod(signal);
            if (found && !trackPeriods(signal, found->steps).empty()) {
                ++falsely;
                qInfo() << "seed" << seed << "memory" << memory << found->steps << found->strength;
            }
        }
        QVERIFY2(falsely <= 1, qPrintable(QString::number(falsely)));
    }

    // GPU-seconds of throttling in each iteration.

    // Two GPUs at once, one across two windows, one in the pause between them, an empty one.
    void byHand() {
        const std::vector<TimeRange> windows{seconds(0, 10), seconds(12, 20), seconds(20, 30)};
        const std::vector<TimeRange> stretches{seconds(-5, 2), seconds(1, 4), seconds(8, 13),
            seconds(10, 12), seconds(15, 15), seconds(19, 40)};
        const auto found = gpuSecondsIn(windows, stretches);
        QCOMPARE(found, (std::vector<double>{2.0 + 3.0 + 2.0, 1.0 + 1.0, 10.0}));
    }

    void asEachEpisodeInEachWindow() {
        std::mt19937 random(7);
        const auto below
            = [&random](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
        std::vector<TimeRange> windows;
        std::vector<TimeRange> ranges;
        std::int64_t at = 0;
        for (int i = 0; i < 60; ++i) {
            at += below(3);
            const std::int64_t begin = at;
            at += below(9);
            windows.push_back(seconds(begin, at));
        }
        for (int i = 0; i < 80; ++i) {
            const auto begin = below(300);
            ranges.push_back(seconds(begin, begin + below(40)));
        }
        const auto found = gpuSecondsIn(windows, ranges);
        for (std::size_t i = 0; i < windows.size(); ++i) {
            double sum = 0.0;
            for (const TimeRange& range : ranges) {
                const TimeRange both{
                    std::max(range.begin, windows[i].begin), std::min(range.end, windows[i].end)};
                sum += both.isEmpty() ? 0.0 : both.length().seconds();
            }
            QVERIFY(std::abs(found[i] - sum) < 1e-9);
        }
    }

    // Looked at one by one, these would be 9·10^10 pairs.
    void manyOfBoth() {
        constexpr std::int64_t count = 300'000;
        std::vector<TimeRange> windows;
        std::vector<TimeRange> ranges;
        for (std::int64_t i = 0; i < count; ++i) {
            windows.push_back(seconds(2 * i, 2 * i + 2));
            ranges.push_back(seconds(0, 2 * count)); // each over all windows
        }
        const auto found = gpuSecondsIn(windows, ranges);
        QCOMPARE(found.size(), windows.size());
        QCOMPARE(found.front(), 2.0 * count);
        QCOMPARE(found.back(), 2.0 * count);
    }
};

TRAINSCOPE_TEST(tst_SteadyState)
#include "tst_SteadyState.moc"
