// PlantedPower iterations in a generated power signal: found in number, length and place within the
// stated error, whatever the period, the noise and the sampling.

#include <QtTest>

#include "core/analysis/iterations/PowerPeriod.h"
#include "support/TestProgram.h"

#include <cmath>
#include <numbers>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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

} // namespace

class tst_PowerPeriod : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void planted_data() {
        QTest::addColumn<double>("period");
        QTest::addColumn<double>("step");
        QTest::addColumn<int>("iterations");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<double>("ripple");
        QTest::addColumn<double>("noise");
        QTest::addColumn<double>("jitter");
        QTest::addColumn<int>("warmup");
        QTest::newRow("plain") << 2.0 << 0.1 << 40 << 1 << 0.0 << 0.05 << 0.0 << 0;
        QTest::newRow("short") << 0.23 << 0.05 << 400 << 1 << 0.0 << 0.05 << 0.0 << 0;
        QTest::newRow("shortest") << 0.2 << 0.05 << 300 << 1 << 0.0 << 0.1 << 0.01 << 0;
        QTest::newRow("fine") << 0.2 << 0.01 << 300 << 1 << 0.0 << 0.1 << 0.02 << 0;
        QTest::newRow("between samples") << 0.437 << 0.1 << 300 << 1 << 0.0 << 0.05 << 0.0 << 0;
        QTest::newRow("long") << 30.0 << 0.1 << 12 << 1 << 0.0 << 0.1 << 0.01 << 0;
        QTest::newRow("few") << 12.3 << 0.1 << 11 << 1 << 0.0 << 0.1 << 0.01 << 2;
        QTest::newRow("noise") << 3.3 << 0.1 << 100 << 1 << 0.0 << 0.5 << 0.01 << 0;
        QTest::newRow("jitter") << 3.3 << 0.1 << 100 << 1 << 0.0 << 0.1 << 0.05 << 0;
        QTest::newRow("warm-up") << 3.0 << 0.1 << 60 << 1 << 0.0 << 0.1 << 0.02 << 10;
        QTest::newRow("four micro-batches") << 4.0 << 0.1 << 50 << 4 << 0.5 << 0.1 << 0.01 << 3;
        QTest::newRow("deep ripples") << 8.0 << 0.1 << 40 << 8 << 0.8 << 0.1 << 0.01 << 3;
        QTest::newRow("as deep as the iteration")
            << 6.4 << 0.05 << 40 << 8 << 1.0 << 0.05 << 0.0 << 0;
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
};

TRAINSCOPE_TEST(tst_PowerPeriod)
#include "tst_PowerPeriod.moc"
