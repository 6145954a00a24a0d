// The GPU whose power follows the kernels of a trace, on planted work and readings.

#include "core/analysis/traces/KernelPower.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/PowerEdges.h"
#include "core/store/Connection.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using Follows = KernelPower::Follows;

namespace {

constexpr std::int64_t kMilli = 1'000'000;
constexpr std::int64_t kStart = 1'776'816'000LL * 1'000 * kMilli;

TimeRange stretch(double from, double until) {
    return {{kStart + std::llround(from * 1e9)}, {kStart + std::llround(until * 1e9)}};
}

// Work and pauses of one to three seconds.
std::vector<TimeRange> workOf(unsigned seed, double seconds) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> length(1.0, 3.0);
    std::vector<TimeRange> work;
    for (double now = 0.0; now < seconds;) {
        const double until = std::min(seconds, now + length(random));
        work.push_back(stretch(now, until));
        now = until + length(random);
    }
    return work;
}

bool works(const std::vector<TimeRange>& work, double second) {
    return std::any_of(work.begin(), work.end(),
        [t = stretch(second, second).begin](const TimeRange& one) { return one.contains(t); });
}

// A sensor that reads every so often, with noise of 5 W: 80 W at rest, 500 W at work.
PowerReadings readingsOf(const std::vector<TimeRange>& work, double seconds, double period = 0.5,
    double late = 0.1, double high = 500.0) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0.0, 5.0);
    PowerReadings readings;
    for (double now = -5.0; now < seconds + 5.0; now += period) {
        readings.times.push_back(stretch(now, now).begin);
        readings.watts.push_back(
            static_cast<float>((works(work, now - late) ? high : 80.0) + noise(random)));
    }
    return readings;
}

TracedWork tracedFrom(const std::vector<TimeRange>& work, double seconds) {
    TracedWork traced;
    traced.add(stretch(0.0, seconds), work);
    return traced;
}

constexpr double kLimit = 700.0;

using Random = std::mt19937_64;

constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;

struct Plan {
    double lagS = 0.0;
    std::int64_t period = 100 * kMilli; // the samples'
    std::int64_t traced = 8'000 * kMilli;
    std::int64_t recorded = 60'000 * kMilli;
    bool regular = false; // equal steps of 700 ms
};

struct Busy {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// Stretches in which the GPU computes, from the epoch on, over all of the recording.
std::vector<Busy> work(Random& random, const Plan& plan) {
    std::vector<Busy> result;
    std::uniform_int_distribution<std::int64_t> length(150, 900);
    std::int64_t now = 0;
    while (now < plan.recorded) {
        const std::int64_t busy = (plan.regular ? 400 : length(random)) * kMilli;
        const std::int64_t idle = (plan.regular ? 300 : length(random)) * kMilli;
        result.push_back({now, now + busy});
        now += busy + idle;
    }
    return result;
}

bool isBusy(const std::vector<Busy>& all, std::int64_t time) {
    return std::any_of(all.begin(), all.end(),
        [time](const Busy& one) { return one.begin <= time && time < one.end; });
}

class Planted {
public:
    Planted(Random& random, const Plan& plan)
        : m_store(filled(random, plan)) { }
    [[nodiscard]] TelemetryLags lags() const {
        return telemetryLags(test::studyOf(m_store)).value();
    }
    Status forge(const std::string& sql) { return m_store.connection().database.script(sql); }

private:
    store::Store filled(Random& random, const Plan& plan) {
        const std::vector<Busy> all = work(random, plan);
        const std::int64_t from = (plan.recorded - plan.traced) / 2;
        for (const Busy& one : all) {
            // Kernels of 1 ms with gaps of 0.1 ms.
            for (std::int64_t at = one.begin; at < one.end; at += 11 * kMilli / 10) {
                if (at >= from && at < from + plan.traced)
                    m_trace.kernel(3, "7", "ampere_sgemm", kEpoch + at, kMilli);
            }
        }
        std::normal_distribution<double> noise(0.0, 15.0);
        std::vector<double> watts;
        for (std::int64_t at = 0; at < plan.recorded; at += plan.period)
            watts.push_back((isBusy(all, at) ? 600.0 : 150.0) + noise(random));
        m_trace.series("gpu_power", 3, kEpoch + std::llround(plan.lagS * 1e9), plan.period, watts);
        return m_trace.store();
    }

    test::PlantedTrace m_trace;
    store::Store m_store;
};

} // namespace

class tst_KernelPower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 1 s of 4 s; stretches that follow each other are added up.
    void sharesOfWork() {
        TracedWork work;
        work.add(stretch(0.0, 4.0), {stretch(1.5, 2.0), stretch(1.0, 1.75), stretch(9.0, 9.5)});
        QCOMPARE(work.share(), 0.25);
        QCOMPARE(work.shareOf(stretch(1.0, 2.0)), std::optional(1.0));
        QCOMPARE(work.shareOf(stretch(1.5, 2.5)), std::optional(0.5));
        QCOMPARE(work.shareOf(stretch(3.0, 3.5)), std::optional(0.0));
        QVERIFY(!work.shareOf(stretch(3.5, 4.5)));
        work.add(stretch(10.0, 12.0), {stretch(10.0, 12.0)});
        QCOMPARE(work.share(), 0.5);
        QVERIFY(work.covers(stretch(11.0, 11.0).begin));
        QVERIFY(!work.covers(stretch(5.0, 5.0).begin));
    }

    void thePowerOfTheGpuFollows() {
        const auto work = workOf(1, 60.0);
        for (const double late : {0.0, 0.3, 1.0}) {
            const auto found
                = kernelPower(tracedFrom(work, 60.0), readingsOf(work, 60.0, 0.5, late), kLimit);
            QVERIFY(found.follows == Follows::Yes);
            QVERIFY(found.correlation > 0.9);
        }
    }
    void anotherPowerDoesNot() {
        const auto work = workOf(1, 60.0);
        const auto traced = tracedFrom(work, 60.0);
        QVERIFY(
            kernelPower(traced, readingsOf(workOf(99, 60.0), 60.0), kLimit).follows == Follows::No);
        QVERIFY(kernelPower(traced, readingsOf({}, 60.0), kLimit).follows == Follows::No);
    }
    // Five seconds tell too little, and so does a GPU that works all the time.
    void littleTellsNothing() {
        const auto work = workOf(1, 5.0);
        QVERIFY(kernelPower(tracedFrom(work, 5.0), readingsOf(workOf(99, 5.0), 5.0), kLimit).follows
            == Follows::NotKnown);
        const std::vector<TimeRange> always{stretch(0.0, 60.0)};
        QVERIFY(kernelPower(tracedFrom(always, 60.0), readingsOf(always, 60.0), kLimit).follows
            == Follows::NotKnown);
        QVERIFY(kernelPower({}, readingsOf(work, 5.0), kLimit).follows == Follows::NotKnown);
    }
    // Pauses that a sensor of one second averages away: steps of 0.2 s and 0.2 s pause.
    void fastPausesContradictNothing() {
        std::vector<TimeRange> work;
        for (double now = 0.0; now < 60.0; now += 0.4)
            work.push_back(stretch(now, now + 0.2));
        PowerReadings level = readingsOf({}, 60.0, 0.1);
        for (float& watts : level.watts)
            watts += 200.0F;
        QVERIFY(kernelPower(tracedFrom(work, 60.0), level, kLimit).follows == Follows::NotKnown);
    }
    // 60 s of work at 80 W of 700 W.
    void aGpuAtRestDidNotWork() {
        const std::vector<TimeRange> always{stretch(0.0, 60.0)};
        QVERIFY(kernelPower(tracedFrom(always, 60.0), readingsOf({}, 60.0), kLimit).follows
            == Follows::No);
        QVERIFY(kernelPower(tracedFrom(always, 60.0), readingsOf({}, 60.0), {}).follows
            == Follows::NotKnown);
    }

    void theGpuOfEight() {
        const auto work = workOf(1, 60.0);
        std::map<int, PowerReadings> gpus;
        for (int gpu = 0; gpu < 8; ++gpu)
            gpus[gpu]
                = readingsOf(workOf(gpu == 3 ? 1U : 50U + static_cast<unsigned>(gpu), 60.0), 60.0);
        const auto found = gpuByPower(tracedFrom(work, 60.0), gpus, kLimit);
        QCOMPARE(found.gpu, std::optional(3));
        QVERIFY(!found.isContradicted);
        gpus.erase(3);
        const auto none = gpuByPower(tracedFrom(work, 60.0), gpus, kLimit);
        QVERIFY(!none.gpu);
        QVERIFY(none.isContradicted);
    }
    void twoThatFollowAreNotOne() {
        const auto work = workOf(1, 60.0);
        const std::map<int, PowerReadings> gpus{
            {4, readingsOf(work, 60.0)}, {5, readingsOf(work, 60.0)}, {6, readingsOf({}, 60.0)}};
        const auto found = gpuByPower(tracedFrom(work, 60.0), gpus, kLimit);
        QVERIFY(!found.gpu);
        QCOMPARE(found.following, (std::vector<int>{4, 5}));
    }
    // Two seconds of a GPU that worked before and after, while the others were at rest.
    void theOnlyOneThatDrewPower() {
        const std::vector<TimeRange> work{stretch(0.0, 2.0)};
        const std::vector<TimeRange> always{stretch(-5.0, 10.0)};
        std::map<int, PowerReadings> gpus{
            {0, readingsOf({}, 2.0)}, {5, readingsOf(always, 2.0)}, {6, readingsOf({}, 2.0)}};
        QCOMPARE(gpuByPower(tracedFrom(work, 2.0), gpus, kLimit).gpu, std::optional(5));
        // Another that works a little could be it as well.
        gpus[6] = readingsOf(always, 2.0, 0.5, 0.1, 220.0);
        QVERIFY(!gpuByPower(tracedFrom(work, 2.0), gpus, kLimit).gpu);
    }

    // A planted lag of telemetry behind the trace must be found within the stated error.

    void patternByHand() {
        const std::vector<double> pattern{0, 1, 1, 0, 1, 0, 0, 0, 1, 1};
        std::vector<double> signal(60, 100.0);
        for (std::size_t i = 0; i < pattern.size(); ++i)
            signal[17 + i] = 100.0 + 50.0 * pattern[i];
        const PatternFit fit = fitPattern(pattern, signal, 0.0);
        QVERIFY(std::abs(fit.lag - 17.0) < 0.5);
        QVERIFY(fit.correlation > 0.99);
        QVERIFY(!fit.isAmbiguous);
        // Some of the signal is not known, and the pattern stands out over its beginning.
        std::vector<double> cut(signal.begin() + 19, signal.end());
        cut[20] = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(std::abs(fitPattern(pattern, cut, 0.0).lag + 2.0) < 0.5);
        const std::vector<double> flat(10, 1.0);
        QVERIFY(fitPattern(flat, signal, 0.0).correlation < 0.0);
        QVERIFY(fitPattern({}, signal, 0.0).correlation < 0.0);
    }
    void plantedLags() {
        for (unsigned seed = 0; seed < 12; ++seed) {
            Random random(seed);
            Plan plan;
            plan.lagS = std::uniform_real_distribution<double>(-3.0, 3.0)(random);
            if (seed % 3 == 0)
                plan.lagS = seed % 2 == 0 ? -18'000.0 : 18'000.0; // five hours: a wrong time zone
            plan.period = (seed % 2 == 0 ? 50 : 100) * kMilli;
            const TelemetryLags found = Planted(random, plan).lags();
            QCOMPARE(found.ranks.size(), std::size_t{1});
            const TelemetryLag& lag = found.ranks[0];
            QCOMPARE(lag.rank, 3);
            QVERIFY2(std::abs(lag.lagS - plan.lagS) <= lag.errorS,
                qPrintable(QStringLiteral("seed %1: %2 instead of %3, error %4")
                               .arg(seed)
                               .arg(lag.lagS)
                               .arg(plan.lagS)
                               .arg(lag.errorS)));
            QVERIFY(lag.errorS < 0.2);
            QVERIFY(lag.correlation > 0.8);
            QVERIFY(!lag.isAmbiguous);
        }
    }
    void equalIterationsAreAmbiguous() {
        Random random(1);
        Plan plan;
        plan.regular = true;
        plan.lagS = 0.2;
        const TelemetryLags found = Planted(random, plan).lags();
        QCOMPARE(found.ranks.size(), std::size_t{1});
        QVERIFY(found.ranks[0].isAmbiguous);
        QVERIFY(std::abs(found.ranks[0].lagS - 0.2) <= found.ranks[0].errorS);
    }
    void shortTracesSayWhy() {
        Random random(1);
        Plan plan;
        plan.traced = 900 * kMilli;
        const TelemetryLags found = Planted(random, plan).lags();
        QVERIFY(found.ranks.empty());
        QCOMPARE(found.unknown.size(), std::size_t{1});
        QCOMPARE(found.unknown[0].rank, 3);
        QVERIFY(!found.unknown[0].reason.empty());
    }
    // As only a damaged or a forged database has it.
    void powerOfNoTimeSaysWhy() {
        Random random(1);
        Planted planted(random, {});
        QVERIFY(planted.forge("UPDATE series SET begin_ns=0, end_ns=0, period_ns=0").hasValue());
        const TelemetryLags found = planted.lags();
        QVERIFY(found.ranks.empty());
        QCOMPARE(found.unknown.size(), std::size_t{1});
        QCOMPARE(found.unknown[0].rank, 3);
        QCOMPARE(
            found.unknown[0].reason, std::string("Its power was recorded for no time at all."));
    }
};

TRAINSCOPE_TEST(tst_KernelPower)
#include "tst_KernelPower.moc"
