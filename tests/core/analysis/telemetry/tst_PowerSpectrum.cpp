#include "core/analysis/telemetry/Burstiness.h"
#include "core/analysis/telemetry/Correlation.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

struct Tone {
    double frequencyHz;
    double amplitude;
};

UniformSeries signalOf(
    const std::vector<Tone>& tones, std::size_t steps, double stepS = 0.1, double noise = 0.0) {
    UniformSeries out{{0}, {static_cast<std::int64_t>(stepS * 1e9)}, {}};
    std::mt19937 random(7);
    std::normal_distribution<double> spread(0.0, 1.0);
    for (std::size_t i = 0; i < steps; ++i) {
        double value = 20'000.0;
        for (const Tone& tone : tones)
            value += tone.amplitude
                * std::sin(
                    2.0 * std::numbers::pi * tone.frequencyHz * stepS * static_cast<double>(i)
                    + 0.3);
        out.values.push_back(value + noise * spread(random));
    }
    return out;
}

const double kNone = std::nan("");

UniformSeries signal(std::vector<double> values) {
    return {{1000}, {500'000'000}, std::move(values)}; // 0.5 s
}

constexpr std::int64_t kEach = 1'000'000'000; // between two samples

std::vector<std::int64_t> everySecond(std::size_t count) {
    std::vector<std::int64_t> at;
    for (std::size_t i = 0; i < count; ++i)
        at.push_back(static_cast<std::int64_t>(i) * kEach);
    return at;
}

UniformSeries onItsGrid(const Store& store) {
    const auto series = got(store.series(got(store.findRun("run")).id));
    return got(resample(store, series.front(), gridOf(series, 1000)));
}

Series recorded(std::int64_t fromS, std::int64_t toS) {
    Series series;
    series.range = {{fromS * kEach}, {toS * kEach + 1}};
    return series;
}

constexpr double kStep = 0.1; // s
constexpr std::size_t kSteps = 6000;

// A smooth random signal: sines of random frequency and phase, evaluated at any moment.
class Wander {
public:
    explicit Wander(unsigned seed, double lowest = 0.005, double highest = 0.5) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> frequency(lowest, highest);
        std::uniform_real_distribution<double> phase(0.0, 2.0 * std::numbers::pi);
        for (int i = 0; i < 40; ++i)
            m_parts.push_back({frequency(random), phase(random)});
    }
    [[nodiscard]] double at(double t) const {
        double sum = 0.0;
        for (const auto& [frequency, phase] : m_parts)
            sum += std::sin(2.0 * std::numbers::pi * frequency * t + phase);
        return sum;
    }

private:
    std::vector<std::pair<double, double>> m_parts;
};

template <typename Shape>
UniformSeries sampled(const Shape& shape, double noise, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0.0, 1.0);
    UniformSeries out{{0}, {static_cast<std::int64_t>(kStep * 1e9)}, {}};
    for (std::size_t i = 0; i < kSteps; ++i)
        out.values.push_back(shape(kStep * static_cast<double>(i)) + noise * normal(random));
    return out;
}

} // namespace

class tst_PowerSpectrum : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPlantedToneIsFound_data() {
        const auto row = columns<double, double, int>("frequency", "amplitude", "steps");
        // 3,000 steps of 0.1 s: bins are 1/300 Hz wide.
        row("on a bin", 0.5, 800.0, 3000);
        row("between bins", 0.50166, 800.0, 3000);
        row("a quarter off", 0.50083, 800.0, 3000);
        row("odd length", 1.2345, 50.0, 2999);
        row("short", 1.0, 100.0, 100);
        row("near the top", 4.7, 100.0, 3000);
        row("a prime number of steps", 0.50166, 800.0, 10'007);
    }
    void aPlantedToneIsFound() {
        QFETCH(const double, frequency);
        QFETCH(const double, amplitude);
        QFETCH(const int, steps);
        const auto signal
            = signalOf({{frequency, amplitude}}, static_cast<std::size_t>(steps), 0.1, 1.0);
        const auto lines = strongestLines(signal, 3);
        QVERIFY(!lines.empty());
        const double bin = 1.0 / (0.1 * steps);
        QVERIFY(std::abs(lines[0].frequencyHz - frequency) < 0.05 * bin);
        QVERIFY(std::abs(lines[0].amplitude - amplitude) < 0.02 * amplitude);
        QVERIFY(lines[0].frequencyErrorHz > 0.0 && lines[0].frequencyErrorHz < bin);
    }

    // With a prime number of steps the transform takes thousands of times longer.
    void longSignalsEndAtSmallFactors() {
        QCOMPARE(amplitudeSpectrum(signalOf({}, 10'007)).binHz, 1.0 / (0.1 * 10'000));
        QCOMPARE(amplitudeSpectrum(signalOf({}, 3'001)).binHz, 1.0 / (0.1 * 3'000));
        QCOMPARE(amplitudeSpectrum(signalOf({}, 4'094)).binHz, 1.0 / (0.1 * 4'094));
    }

    void strongestComesFirst() {
        const auto lines
            = strongestLines(signalOf({{0.2, 100.0}, {0.9, 900.0}, {2.1, 300.0}}, 6000), 2);
        QCOMPARE(lines.size(), std::size_t{2});
        QVERIFY(std::abs(lines[0].frequencyHz - 0.9) < 1e-3);
        QVERIFY(std::abs(lines[1].frequencyHz - 2.1) < 1e-3);
    }

    void noiseAndConstantsHaveNoLines() {
        QVERIFY(strongestLines(signalOf({}, 3000), 5).empty());
        QVERIFY(strongestLines(signalOf({}, 4096, 0.1, 50.0), 5).empty());
        QVERIFY(strongestLines(signalOf({{0.5, 10.0}}, 15), 5).empty());
        QVERIFY(strongestLines({}, 5).empty());
    }

    void holesAreBridged() {
        UniformSeries signal = signalOf({{0.25, 500.0}}, 4000);
        for (std::size_t i = 1000; i < 1010; ++i)
            signal.values[i] = std::numeric_limits<double>::quiet_NaN();
        signal.values.front() = std::numeric_limits<double>::quiet_NaN();
        signal.values.back() = std::numeric_limits<double>::quiet_NaN();
        const auto lines = strongestLines(signal, 1);
        QCOMPARE(lines.size(), std::size_t{1});
        QVERIFY(std::abs(lines[0].frequencyHz - 0.25) < 1e-3);
        QVERIFY(std::abs(lines[0].amplitude - 500.0) < 15.0);
    }

    // Longer than one segment: averaged, the same line.
    void longSignalsAreAveraged() {
        const auto lines
            = strongestLines(signalOf({{1.7, 200.0}}, kSegment + kSegment / 2 + 77, 0.01, 20.0), 1);
        QCOMPARE(lines.size(), std::size_t{1});
        QVERIFY(std::abs(lines[0].frequencyHz - 1.7) < 1e-4);
        QVERIFY(std::abs(lines[0].amplitude - 200.0) < 4.0);
    }

    void ratiosAndRamps() {
        const auto burst = burstOf(signal({100, 100, 400, 200}));
        QVERIFY(burst.has_value());
        QCOMPARE(burst->peakToMean, 2.0); // 400 / 200
        QCOMPARE(burst->p99ToP50, 4.0);
        QCOMPARE(burst->peakAt.ns, std::int64_t{1'000'001'000});
        QCOMPARE(*burst->maxRampPerS, 600.0); // 300 W in 0.5 s
        QCOMPARE(burst->maxRampAt.ns, std::int64_t{1'000'001'000});
    }
    void aFallIsARampToo() { QCOMPARE(*burstOf(signal({100, 500, 50}))->maxRampPerS, 900.0); }
    // The first pair of steps is as steep as any, 0.5 s behind the begin.
    void constantPowerHasItsRampInTheRecord() {
        const auto burst = burstOf(signal({100, 100, 100}));
        QCOMPARE(*burst->maxRampPerS, 0.0);
        QCOMPARE(burst->maxRampAt.ns, std::int64_t{500'001'000});
    }
    void noRampAcrossAHole() {
        const auto burst = burstOf(signal({100, kNone, 900, 800}));
        QCOMPARE(*burst->maxRampPerS, 200.0);
        QCOMPARE(burst->peakToMean, 1.5); // 900 / 600
    }
    void noNeighboursNoRamp() {
        QVERIFY(!burstOf(signal({400, kNone, 500}))->maxRampPerS);
        QVERIFY(!burstOf(signal({400}))->maxRampPerS);
    }
    void nothingIsAbsent() {
        QVERIFY(!burstOf(signal({})));
        QVERIFY(!burstOf(signal({kNone, kNone})));
        QVERIFY(!burstOf(signal({0, 0})));
    }
    void excursions() {
        const auto found = excursionsAbove(signal({5, 11, 12, 10, 11, kNone, 11, 3}), 10.0);
        QCOMPARE(found.count, std::int64_t{3});
        QCOMPARE(found.seconds, 2.0);
        QCOMPARE(found.longestSeconds, 1.0);
    }

    // Series on equal steps: rates of counters, how old a step is, and what several have in common.

    // 100, 200, over the wrap at 2³² 6 + 44 = 50, and 0 bytes in a second each.
    void aCounterIsItsRate() {
        FreshStore store;
        const double high = 4294967296.0 - 6.0;
        addSeries(store, counter("pcie_rx", 0, 32), everySecond(5),
            {high - 300.0, high - 200.0, high, 44.0, 44.0});
        const UniformSeries rate = onItsGrid(store);
        QCOMPARE(rate.values.size(), std::size_t{5});
        QCOMPARE(rate.values[0], 100.0);
        QCOMPARE(rate.values[1], 200.0);
        QCOMPARE(rate.values[2], 50.0);
        QCOMPARE(rate.values[3], 0.0);
        QCOMPARE(rate.age.ns, std::int64_t{0});
    }

    void aGaugeIsHalfASamplingPeriodOld() {
        FreshStore store;
        addSeries(store, gauge("gpu_power", 0), everySecond(5), {1, 2, 3, 4, 5});
        const UniformSeries held = onItsGrid(store);
        QCOMPARE(held.values.front(), 1.0);
        QCOMPARE(held.age.ns, kEach / 2);
    }

    // 100 s, 95 s and 4 s: the last is left out, with it they have 4 s in common.
    void oneThatBrokeOff() {
        const std::vector<Series> all{recorded(0, 100), recorded(5, 100), recorded(0, 4)};
        const auto whole = recordedThroughout(all);
        QCOMPARE(whole.size(), std::size_t{2});
        QVERIFY(haveMostInCommon(whole));
        QVERIFY(!haveMostInCommon(all));
        QVERIFY(!haveMostInCommon(all, {{0}, {50 * kEach}}));
        // In the window from 0 to 4 s the first and the last have all in common.
        QVERIFY(haveMostInCommon(std::vector<Series>{all[0], all[2]}, {{0}, {4 * kEach}}));
    }

    // Planted lags of either sign, between steps, with noise, memory and holes: found within the
    // error that is stated.
    void plantedLags_data() {
        const auto row = columns<double, double, double>("lag", "sign", "noise");
        row("none", 0.0, 1.0, 1.0);
        row("whole steps", 1.5, 1.0, 1.0);
        row("between steps", 2.337, 1.0, 1.0);
        row("b leads", -0.761, 1.0, 1.0);
        row("opposite", 3.05, -1.0, 1.0);
        row("much noise", 1.23, 1.0, 6.0);
        row("long", 42.42, 1.0, 2.0);
    }

    void plantedLags() {
        QFETCH(double, lag);
        QFETCH(double, sign);
        QFETCH(double, noise);
        int within = 0;
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const Wander wander(seed);
            auto a = sampled([&](double t) { return wander.at(t); }, noise, seed + 100);
            auto b = sampled(
                [&](double t) { return sign * wander.at(t - lag) + 0.01 * t; }, noise, seed + 200);
            // A hole in each, and a drift in b.
            for (std::size_t i = 1000; i < 1300; ++i)
                a.values[i] = std::numeric_limits<double>::quiet_NaN();
            for (std::size_t i = 4000; i < 4100; ++i)
                b.values[i] = std::numeric_limits<double>::quiet_NaN();
            const auto found = correlate(a, b, 60.0);
            QVERIFY(found.has_value());
            QVERIFY(found->isSignificant);
            QVERIFY(found->peak * sign > 0.0);
            QCOMPARE(found->samples, std::int64_t{5600});
            within += std::abs(found->lagS - lag) <= 3.0 * found->lagErrorS ? 1 : 0;
            QVERIFY(found->lagErrorS < 0.3);
        }
        QVERIFY2(within >= 9, qPrintable(QString::number(within)));
    }

    // The correlation of sin and sin + noise of equal variance is 1/√2.
    void theCorrelationItself() {
        const auto a = sampled([](double t) { return std::sin(t); }, 0.0, 1);
        const auto b
            = sampled([](double t) { return 3.0 + 2.0 * std::sin(t); }, std::numbers::sqrt2, 2);
        const auto found = correlate(a, b, 1.0);
        QVERIFY(found.has_value());
        QVERIFY(std::abs(found->atOnce - std::numbers::sqrt2 / 2.0) < 0.02);
    }

    void whatRepeatsSaysSo() {
        const auto a = sampled([](double t) { return std::sin(2.0 * t); }, 0.1, 1);
        const auto b = sampled([](double t) { return std::sin(2.0 * (t - 0.4)); }, 0.1, 2);
        const auto found = correlate(a, b, 20.0);
        QVERIFY(found.has_value());
        QVERIFY(found->periodS.has_value());
        QVERIFY(std::abs(*found->periodS - std::numbers::pi) < 0.15);
    }

    // Every half period the correlation is as strong again, of either sign: lag 0 is meant.
    void ofThoseAsStrongTheNearest() {
        for (unsigned seed = 1; seed <= 10; ++seed) {
            const auto shape = [](double t) { return std::sin(0.5 * std::numbers::pi * t); };
            const auto found
                = correlate(sampled(shape, 0.1, seed + 100), sampled(shape, 0.1, seed + 200), 6.0);
            QVERIFY(found.has_value());
            QVERIFY(found->peak > 0.9);
            QVERIFY(std::abs(found->lagS) < 0.1);
            QVERIFY(!found->isAtEdge);
        }
    }

    // Two signals have one time of measurement; b is read every second and a every 0.1 s: on
    // average b shows what was 0.5 s ago and a what was 0.05 s ago, a lag of 0.45 s that is none.
    void howOldTheStepsAreIsNoLag() {
        const Wander wander(3);
        auto a = sampled([&](double t) { return wander.at(t - 0.05); }, 0.0, 1);
        auto b = sampled([&](double t) { return wander.at(t - 0.5); }, 0.0, 2);
        a.age = {50'000'000};
        b.age = {500'000'000};
        const auto found = correlate(a, b, 10.0);
        QVERIFY(found.has_value());
        QVERIFY(std::abs(found->lagS) < 0.02);
    }

    // Signals that remember their past seem to move together; few such pairs may pass for it.
    void independentSignalsAreNotSignificant() {
        int falsely = 0;
        for (unsigned seed = 1; seed <= 60; ++seed) {
            std::mt19937 random(seed);
            std::normal_distribution<double> normal;
            double x = 0.0;
            double y = 0.0;
            UniformSeries a{{0}, {100'000'000}, {}};
            UniformSeries b = a;
            for (int i = 0; i < 4000; ++i) {
                x = 0.98 * x + normal(random);
                y = 0.98 * y + normal(random);
                a.values.push_back(x);
                b.values.push_back(y);
            }
            falsely += correlate(a, b, 60.0)->isSignificant ? 1 : 0;
        }
        QVERIFY2(falsely <= 2, qPrintable(QString::number(falsely)));
    }

    void whatCannotBeSaid() {
        UniformSeries flat{{0}, {100'000'000}, std::vector<double>(100, 5.0)};
        const UniformSeries few{{0}, {100'000'000}, {1.0, 2.0, 3.0}};
        QVERIFY(!correlate(flat, flat, 1.0));
        QVERIFY(!correlate(few, few, 1.0));
    }
};

TRAINSCOPE_TEST(tst_PowerSpectrum)
#include "tst_PowerSpectrum.moc"
