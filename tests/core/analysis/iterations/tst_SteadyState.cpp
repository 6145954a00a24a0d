// Iterations and steady state of runs whose truth is planted in the store.

#include "core/analysis/iterations/AnnotatedIterations.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
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
    explicit Database(const LaunchConfig& launch = {})
        : m_store(store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("a.trainscope")).toStdString())
                      .value())
        , m_session(store::beginImport(m_store, {"planted", 1, {}, "planted"}).value()) {
        Run run;
        run.name = "planted";
        run.launch = launch;
        m_run = m_session->run(run).value();
    }

    void gpu(int rank) { (void)m_session->gpu(m_run, {rank, rank / 4, rank % 4, {}, {}}); }
    // Samples every `period` seconds, displaced by up to `jitter` periods.
    void series(int rank, const char* metric, double duration, double period, double jitter,
        const std::function<double(double)>& shape) {
        SeriesDescription description;
        description.metric = *findMetric(metric);
        description.subject = {SubjectKind::Gpu, rank, -1, {}};
        const SeriesId id = m_session->series(m_run, description).value();
        std::uniform_real_distribution<double> shift(-jitter, jitter);
        std::vector<TimeNs> times;
        std::vector<double> values;
        for (double t = 0.0; t < duration; t += period) {
            const double moment = std::max(t + shift(m_random) * period, 0.0);
            times.push_back(at(moment));
            values.push_back(shape(moment));
        }
        (void)m_session->samples(id, times, values);
    }
    TrackId track(int rank, TrackKind kind = TrackKind::Thread) {
        return m_session->track(m_run, {kind, rank, 0, "1", "1", "main"}).value();
    }
    void span(TrackId track, const std::string& name, double from, double to,
        SpanKind kind = SpanKind::Annotation) {
        Span span{at(from), {ns(to) - ns(from)}, m_session->intern(name).value(), kind, 0, {}, 0};
        (void)m_session->spans(track, std::span(&span, 1));
    }
    void iteration(std::int64_t index, int rank, double from, double to) {
        (void)m_session->iteration(m_run, {index, {at(from), at(to)}, rank, false});
    }
    void enterLayout(const char* spec) {
        m_session.reset();
        const auto done = store::setEnteredLayout(m_store, run().id, spec);
        QVERIFY2(done.hasValue(), done.hasValue() ? "" : done.error().message.c_str());
    }
    void finish() { QVERIFY(m_session->finish({}, "planted", 1, {}).hasValue()); }

    [[nodiscard]] const store::Store& store() const { return m_store; }
    [[nodiscard]] Run run() const { return m_store.findRun("planted").value(); }

private:
    QTemporaryDir m_folder;
    store::Store m_store;
    std::unique_ptr<store::ImportSession> m_session;
    RunId m_run;
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
        const auto found = iterationsOf({store, store.findRun("planted").value()}).value();
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
            const TrackId main = database.track(rank);
            for (int k = 0; k < 6; ++k) {
                const double from = 2.0 * k + 0.01 * rank;
                database.span(main, "iteration " + std::to_string(k + 3), from, from + 1.9);
                database.span(main, "batch " + std::to_string(k), from, from + 0.5);
                database.span(main, "train_step", from + 0.5, from + 1.7);
                database.span(main, "aten::mm", from, from + 0.1, SpanKind::CpuOp);
                for (int m = 0; m < 4; ++m)
                    database.span(main, "microbatch " + std::to_string(m), from, from + 0.1);
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
};

TRAINSCOPE_TEST(tst_SteadyState)
#include "tst_SteadyState.moc"
