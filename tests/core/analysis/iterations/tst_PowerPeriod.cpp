// PlantedPower iterations in a generated power signal: found in number, length and place within the
// stated error, whatever the period, the noise and the sampling.

#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/iterations/PowerPeriod.h"
#include "support/TestProgram.h"

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

TimeRange seconds(std::int64_t begin, std::int64_t end) {
    return {{begin * 1'000'000'000}, {end * 1'000'000'000}};
}

} // namespace

class tst_PowerPeriod : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_PowerPeriod)
#include "tst_PowerPeriod.moc"
