// The GPU whose power follows the kernels of a trace, on planted work and readings.

#include "core/analysis/traces/KernelPower.h"
#include "support/TestProgram.h"

using namespace trainscope;
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
};

TRAINSCOPE_TEST(tst_KernelPower)
#include "tst_KernelPower.moc"
