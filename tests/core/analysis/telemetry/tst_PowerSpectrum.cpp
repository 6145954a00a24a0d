#include <QtTest>

#include "core/analysis/telemetry/Burstiness.h"
#include "support/TestProgram.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;

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

} // namespace

class tst_PowerSpectrum : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPlantedToneIsFound_data() {
        QTest::addColumn<double>("frequency");
        QTest::addColumn<double>("amplitude");
        QTest::addColumn<int>("steps");
        // 3,000 steps of 0.1 s: bins are 1/300 Hz wide.
        QTest::newRow("on a bin") << 0.5 << 800.0 << 3000;
        QTest::newRow("between bins") << 0.50166 << 800.0 << 3000;
        QTest::newRow("a quarter off") << 0.50083 << 800.0 << 3000;
        QTest::newRow("odd length") << 1.2345 << 50.0 << 2999;
        QTest::newRow("short") << 1.0 << 100.0 << 100;
        QTest::newRow("near the top") << 4.7 << 100.0 << 3000;
        QTest::newRow("a prime number of steps") << 0.50166 << 800.0 << 10'007;
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
};

TRAINSCOPE_TEST(tst_PowerSpectrum)
#include "tst_PowerSpectrum.moc"
