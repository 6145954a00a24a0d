// Periods of readings, the effect of a slow one on the others, and the choice between two accounts
// of a GPU's power.

#include "importers/record/Sampler.h"
#include "support/Lasting.h"
#include "support/TestProgram.h"

#include <atomic>
#include <thread>

using namespace trainscope::record;

namespace {

constexpr DurationNs kInterval{50'000'000};

double secondsAfter(Pace pace, double cost, double wraps = 0.0, double since = 1.0,
    DurationNs interval = kInterval) {
    ReadingSchedule schedule(pace, interval);
    schedule.asked(cost, wraps, since);
    return schedule.period().seconds();
}

Channel channelNamed(const char* name, int bits = 0) {
    Channel channel;
    channel.description.metric.name = name;
    channel.description.counterBits = bits;
    return channel;
}

// A state that is read at once, an energy whose call takes longer than an interval, a counter of 32
// bits of so many bytes a second, and another one whose call waits longer than an interval.
class SlowProbe final : public Probe {
public:
    explicit SlowProbe(double bytesPerSecond)
        : m_bytesPerSecond(bytesPerSecond) { }

    [[nodiscard]] const std::vector<Channel>& channels() const override { return m_channels; }
    [[nodiscard]] const std::vector<Reading>& readings() const override { return m_readings; }
    TimeNs read(std::size_t reading, std::span<double> values) override {
        const TimeNs time = wallClock();
        const double seconds = (time - m_begin).seconds();
        if (reading == 1 || reading == 3)
            test::lasts(std::chrono::milliseconds(30));
        if (reading == 2)
            test::lasts(std::chrono::milliseconds(1));
        values[reading] = reading == 2
            ? std::floor(std::fmod(seconds * m_bytesPerSecond, 4'294'967'296.0))
            : seconds;
        return time;
    }

private:
    double m_bytesPerSecond;
    TimeNs m_begin = wallClock();
    std::vector<Channel> m_channels{channelNamed("state"), channelNamed("energy", 64),
        channelNamed("bytes", 32), channelNamed("total", 64)};
    std::vector<Reading> m_readings{
        {Pace::Round, {0}}, {Pace::Total, {1}}, {Pace::Running, {2}}, {Pace::Running, {3}}};
};

std::vector<TakenReading> ofChannel(const Taken& taken, std::uint32_t channel) {
    std::vector<TakenReading> all;
    std::copy_if(taken.readings.begin(), taken.readings.end(), std::back_inserter(all),
        [channel](const TakenReading& reading) { return reading.channel == channel; });
    return all;
}

// A state that is read at once, and one whose call takes longer than two intervals every twelfth
// time.
class StallingProbe final : public Probe {
public:
    [[nodiscard]] const std::vector<Channel>& channels() const override { return m_channels; }
    [[nodiscard]] const std::vector<Reading>& readings() const override { return m_readings; }
    TimeNs read(std::size_t reading, std::span<double> values) override {
        const TimeNs time = wallClock();
        if (reading == 1 && ++m_calls % 12 == 0)
            test::lasts(std::chrono::milliseconds(25));
        values[reading] = 1.0;
        m_threads[reading] = std::this_thread::get_id();
        return time;
    }
    [[nodiscard]] bool isAside() const { return m_threads[0].load() != m_threads[1].load(); }

private:
    int m_calls = 0;
    std::array<std::atomic<std::thread::id>, 2> m_threads; // threads that asked last
    std::vector<Channel> m_channels{channelNamed("state"), channelNamed("stalling")};
    std::vector<Reading> m_readings{{Pace::Round, {0}}, {Pace::Round, {1}}};
};

constexpr int kPatience = 60'000; // ms

// Sampled every 10 ms until there is enough of that channel.
template <typename Enough>
Taken sampled(Probe& probe, std::uint32_t channel, const Enough& isEnough) {
    Sampler sampler({&probe}, DurationNs{10'000'000});
    sampler.start();
    Taken all;
    const auto takeMore = [&] {
        const Taken more = sampler.take();
        all.readings.insert(all.readings.end(), more.readings.begin(), more.readings.end());
        all.skipped += more.skipped;
    };
    (void)QTest::qWaitFor(
        [&] {
            takeMore();
            return isEnough(ofChannel(all, channel));
        },
        kPatience);
    sampler.stop();
    takeMore();
    return all;
}

int wrapsIn(const std::vector<TakenReading>& counter) {
    int wraps = 0;
    for (std::size_t i = 1; i < counter.size(); ++i)
        wraps += counter[i].value < counter[i - 1].value ? 1 : 0;
    return wraps;
}

// Ten values a second that are asked for every 50 ms, between 1000 and 1096.
double asked(double seconds) {
    return 1000.0 + std::fmod(std::floor(seconds * 10.0 + 1e-6) * 37.0, 97.0);
}

// Written of `seconds` in which `kept` gives the driver's samples every 20 ms, and the words.
struct Written {
    std::vector<KeptSample> samples;
    std::string words;
};
Written written(double (*kept)(double), double seconds) {
    PowerChoice choice;
    Written all;
    const auto at = [](double time) {
        return TimeNs{
            1'700'000'000'000'000'000 + static_cast<std::int64_t>(std::llround(time * 1e9))};
    };
    const int count = static_cast<int>(std::lround(seconds * 20.0));
    double keptUntil = -2.0; // the driver's are there from before
    for (int i = 0; i < count; ++i) {
        const double now = i / 20.0;
        choice.addAsked({at(now), asked(now)});
        if ((i + 1) % 20 != 0) // once a second
            continue;
        for (; keptUntil <= now; keptUntil += 0.02)
            choice.addKept({at(keptUntil), kept(keptUntil)});
        for (const KeptSample& sample : choice.take(at(now), i + 1 == count))
            all.samples.push_back(sample);
    }
    all.words = choice.words();
    return all;
}

} // namespace

class tst_Sampler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // By the formulas of ReadingSchedule: 0.01 % of a core at 50 ms, 0.03 % at 10 ms.
    void periods() {
        QCOMPARE(secondsAfter(Pace::Round, 3e-6), 0.05);
        QVERIFY(std::abs(secondsAfter(Pace::Round, 1e-3) - 0.1) < 1e-6); // 1 ms is 1 % of 0.1 s
        QVERIFY(std::abs(secondsAfter(Pace::Running, 120e-6) - 1.2) < 1e-6);
        QCOMPARE(secondsAfter(Pace::Running, 1e-6), 0.2);
        QCOMPARE(secondsAfter(Pace::Running, 5e-3), 2.0);
        QVERIFY(std::abs(secondsAfter(Pace::Running, 120e-6, 0.0, 1.0, {10'000'000}) - 0.4) < 1e-6);
        QCOMPARE(secondsAfter(Pace::Running, 1e-6, 0.0, 1.0, {10'000'000}), 0.04);
        ReadingSchedule ofMany(Pace::Running, kInterval, 0.5);
        ofMany.asked(60e-6, 0.0, 1.0);
        QVERIFY(std::abs(ofMany.period().seconds() - 1.2) < 1e-6);
        QCOMPARE(secondsAfter(Pace::Lagging, 3e-6), 0.1);
        QCOMPARE(secondsAfter(Pace::Lagging, 3e-6, 0.0, 1.0, {10'000'000}), 0.1);
        QCOMPARE(secondsAfter(Pace::Lagging, 3e-6, 0.0, 1.0, {200'000'000}), 0.2);
        QCOMPARE(secondsAfter(Pace::Seldom, 3e-6), 1.0);
        QCOMPARE(secondsAfter(Pace::Setting, 3e-6), 5.0);
        QCOMPARE(secondsAfter(Pace::Total, 4.4e-3), 10.0);
        QCOMPARE(secondsAfter(Pace::Total, 4.4e-3, 0.0, 1.0, {60'000'000'000}), 60.0);
    }

    // Counters of a long recording are asked for less often: 2.5 times the shortest, and no more.
    void longRecordings() {
        ReadingSchedule schedule(Pace::Running, kInterval);
        for (int i = 0; i <= 600; ++i)
            schedule.asked(1e-6, 0.0, 1.0);
        QCOMPARE(schedule.period().seconds(), 0.2);
        schedule.asked(1e-6, 0.0, 1.0);
        QCOMPARE(schedule.period().seconds(), 0.5);
        ReadingSchedule slow(Pace::Running, {10'000'000'000});
        for (int i = 0; i <= 61; ++i)
            slow.asked(1e-6, 0.0, 10.0);
        QCOMPARE(slow.period().seconds(), 10.0);
    }

    // A counter that went 0.4 of a wrap in 0.6 s goes two thirds of one in a second; where it
    // nearly wrapped it may have done so unseen.
    void countersThatWrap() {
        QVERIFY(std::abs(secondsAfter(Pace::Running, 240e-6, 0.4, 0.6) - 1.0) < 1e-6);
        QVERIFY(std::abs(secondsAfter(Pace::Running, 120e-6, 0.01, 0.8) - 1.2) < 1e-6);
        QCOMPARE(secondsAfter(Pace::Running, 260e-6, 0.9, 0.8), 0.05);
    }

    // Counters that ran fast for a while, every 50 ms, and then rest: ten median periods would be a
    // hole in the series.
    void restIsNoHole() {
        ReadingSchedule schedule(Pace::Running, kInterval);
        std::vector<double> periods;
        for (int i = 0; i < 100; ++i) {
            schedule.asked(240e-6, i < 60 ? 0.9 : 0.001, 0.05);
            periods.push_back(schedule.period().seconds());
        }
        QCOMPARE(periods[59], 0.05);
        QVERIFY(periods[60] <= 0.4 + 1e-9 && periods[60] > 0.3);
        std::sort(periods.begin(), periods.end());
        QVERIFY(periods.back() < 10.0 * periods[periods.size() / 2]);
    }

    // Calls of 30 ms, again and again, beside an interval of 10 ms: the rounds come, and the energy
    // has a begin and an end.
    void slowCallsDelayNobody() {
        SlowProbe probe(1e6);
        const Taken taken = sampled(probe, 3, [](const auto& slow) { return slow.size() >= 12; });
        const auto state = ofChannel(taken, 0);
        const double expected = (state.back().time - state.front().time).seconds() / 0.01;
        QVERIFY2(static_cast<double>(state.size()) + static_cast<double>(taken.skipped)
                >= 0.95 * expected,
            qPrintable(QString::number(state.size())));
        std::vector<std::int64_t> steps;
        for (std::size_t i = 1; i < state.size(); ++i)
            steps.push_back((state[i].time - state[i - 1].time).ns);
        // Most steps are short; the machine may be busy.
        std::sort(steps.begin(), steps.end());
        QVERIFY2(steps[steps.size() / 2] < 15'000'000,
            qPrintable(QString::number(steps[steps.size() / 2])));
        QVERIFY(ofChannel(taken, 3).size() >= 12);
        const auto energy = ofChannel(taken, 1);
        QCOMPARE(energy.size(), 2U);
        QVERIFY(energy.front().time <= state.front().time);
        QVERIFY(energy.back().time >= state.back().time);
    }

    // Such a call leaves the rounds, whose other readings it held up.
    void callsThatStall() {
        StallingProbe probe;
        Sampler sampler({&probe}, DurationNs{10'000'000});
        sampler.start();
        QVERIFY(QTest::qWaitFor([&] { return probe.isAside(); }, kPatience));
        (void)sampler.take();
        std::size_t stalling = 0;
        QVERIFY(QTest::qWaitFor(
            [&] {
                stalling += ofChannel(sampler.take(), 1).size();
                return stalling >= 12;
            },
            kPatience));
        QVERIFY(probe.isAside());
        sampler.stop();
    }

    // 5 GB/s wrap every 0.86 s; seen three times in two wraps nothing is lost.
    void wrapsAreSeen() {
        constexpr double rate = 5e9;
        SlowProbe probe(rate);
        const Taken taken
            = sampled(probe, 2, [](const auto& bytes) { return wrapsIn(bytes) >= 3; });
        const auto bytes = ofChannel(taken, 2);
        QVERIFY(bytes.size() >= 5);
        double total = 0.0;
        for (std::size_t i = 1; i < bytes.size(); ++i) {
            const double went = bytes[i].value - bytes[i - 1].value;
            total += went < 0.0 ? went + 4'294'967'296.0 : went;
        }
        const double seconds = (bytes.back().time - bytes.front().time).seconds();
        QVERIFY(seconds > 1.7); // two whole wraps lie between three
        QVERIFY2(std::abs(total / seconds / rate - 1.0) < 0.01, qPrintable(QString::number(total)));
    }

    // The driver's samples change with each, five times as often: taken from the begin on.
    void finerSamplesOfTheDriver() {
        const Written all = written(
            [](double s) {
                return 1000.0 + std::fmod(std::floor(s * 50.0 + 1e-6) * 37.0 + 9700.0, 97.0);
            },
            6.0);
        QVERIFY2(all.samples.size() >= 296 && all.samples.size() <= 299,
            qPrintable(QString::number(all.samples.size())));
        QVERIFY(all.words.starts_with("the driver's own samples"));
        for (std::size_t i = 1; i < all.samples.size(); ++i)
            QVERIFY(all.samples[i].time > all.samples[i - 1].time);
    }

    // They repeat what is asked for, or are its mean over a second: each of the 120 that were asked
    // for is written once.
    void readingsThatTellMore_data() {
        const auto row = test::columns<bool>("isSmooth");
        row("repeated", false);
        row("mean", true);
    }
    void readingsThatTellMore() {
        QFETCH(bool, isSmooth);
        const Written all = isSmooth ? written(
                                [](double s) {
                                    double sum = std::fmod(s, 0.06) * 0.1;
                                    for (int i = 0; i < 10; ++i)
                                        sum += asked(s + 9.7 - 0.1 * i);
                                    return sum / 10.0;
                                },
                                6.0)
                                     : written(asked, 6.0);
        QCOMPARE(all.samples.size(), 120U);
        QVERIFY(all.words.starts_with("readings; "));
        QCOMPARE(all.words.find("smoother") != std::string::npos, isSmooth);
        for (const KeptSample& sample : all.samples)
            QCOMPARE(sample.value,
                asked(static_cast<double>(sample.time.ns % 1'000'000'000'000) * 1e-9));
    }

    // Nothing changes for a while: what was asked for is written, and the driver's from then on.
    void decidedLater() {
        const Written all = written([](double) { return 1000.0; }, 3.0);
        QVERIFY(all.words.starts_with("readings; "));
        PowerChoice still;
        const TimeNs begin{1'700'000'000'000'000'000};
        const auto add = [&](int from, int to, bool isMoving) {
            for (int i = from; i < to; ++i) {
                const TimeNs time = begin + DurationNs{i * 20'000'000LL};
                still.addAsked({time, isMoving ? std::floor(i / 5.0) : 100.0});
                still.addKept({time, isMoving ? i / 5.0 : 100.0});
            }
            return still.take(begin + DurationNs{to * 20'000'000LL}, false);
        };
        QVERIFY(add(0, 50, false).empty()); // in the first second
        QCOMPARE(add(50, 150, false).size(), 150U); // three, of which none tells anything
        QCOMPARE(add(150, 250, true).size(), 100U);
        QVERIFY(still.words().starts_with("the driver's own samples"));
        QVERIFY(!still.hasLeftKept());
    }
};

TRAINSCOPE_TEST(tst_Sampler)
#include "tst_Sampler.moc"
