// Planted lags of either sign, between steps, with noise, memory and holes: found within the error
// that is stated.

#include <QtTest>

#include "core/analysis/telemetry/Correlation.h"
#include "support/TestProgram.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

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

class tst_Correlation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedLags_data() {
        QTest::addColumn<double>("lag");
        QTest::addColumn<double>("sign");
        QTest::addColumn<double>("noise");
        QTest::newRow("none") << 0.0 << 1.0 << 1.0;
        QTest::newRow("whole steps") << 1.5 << 1.0 << 1.0;
        QTest::newRow("between steps") << 2.337 << 1.0 << 1.0;
        QTest::newRow("b leads") << -0.761 << 1.0 << 1.0;
        QTest::newRow("opposite") << 3.05 << -1.0 << 1.0;
        QTest::newRow("much noise") << 1.23 << 1.0 << 6.0;
        QTest::newRow("long") << 42.42 << 1.0 << 2.0;
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

TRAINSCOPE_TEST(tst_Correlation)
#include "tst_Correlation.moc"
