// The spread over iterations, and whether two runs differ by more.

#include <QtTest>

#include "core/analysis/comparison/Spread.h"
#include "core/analysis/statistics/Means.h"
#include "support/TestProgram.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

using namespace trainscope::analysis;

namespace {

std::vector<double> normal(
    std::mt19937& random, std::size_t count, double mean, double std, double correlation = 0.0) {
    std::normal_distribution<double> noise(0.0, 1.0);
    std::vector<double> out;
    double last = noise(random);
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(mean + std * last);
        last = correlation * last + std::sqrt(1.0 - correlation * correlation) * noise(random);
    }
    return out;
}

// Share of trials in which two samples of one distribution are said to differ.
double falseAlarms(std::size_t na, std::size_t nb, double stdB, double correlation = 0.0) {
    std::mt19937 random(7);
    constexpr int trials = 4000;
    int alarms = 0;
    for (int i = 0; i < trials; ++i) {
        const auto a = spreadOf(normal(random, na, 10.0, 1.0, correlation));
        const auto b = spreadOf(normal(random, nb, 10.0, stdB, correlation));
        alarms += differenceOf(*a, *b)->isBeyond() ? 1 : 0;
    }
    return static_cast<double>(alarms) / trials;
}

} // namespace

class tst_Spread : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantilesOfStudent() {
        // From tables of the distribution, two-sided.
        const std::array<std::array<double, 3>, 7> known{{{0.95, 1.0, 12.7062},
            {0.95, 2.0, 4.30265}, {0.95, 5.0, 2.57058}, {0.95, 10.0, 2.22814},
            {0.95, 30.0, 2.04227}, {0.99, 4.0, 4.60409}, {0.95, 1e6, 1.95997}}};
        for (const auto& [probability, degrees, t] : known)
            QVERIFY(std::abs(studentT(probability, degrees) / t - 1.0) < 1e-5);
    }

    void meanAndDeviation() {
        const std::array<double, 5> values{1.0, 2.0, 3.0, 4.0, 5.0};
        const auto spread = spreadOf(values);
        QCOMPARE(spread->count, 5);
        QCOMPARE(spread->mean, 3.0);
        QVERIFY(std::abs(spread->std - std::sqrt(2.5)) < 1e-12);
        // Σ (x_i − 3)(x_{i−1} − 3) = 2 + 0 + 0 + 2, Σ (x_i − 3)² = 10.
        QVERIFY(std::abs(spread->correlation - 0.4) < 1e-12);
        QVERIFY(std::abs(spread->effectiveCount() - 5.0 * 0.6 / 1.4) < 1e-12);
        QVERIFY(!spreadOf({}));
        QCOMPARE(spreadOf(std::array<double, 1>{7.0})->std, 0.0);
        const Spread half = spread->dividedBy(2.0);
        QCOMPARE(half.mean, 1.5);
        QVERIFY(std::abs(half.std - spread->std / 2.0) < 1e-12);
    }

    // Means 10 and 12, std. dev. 1 and 2, 4 and 9 iterations.
    void welchByHand() {
        const Spread a{4, 10.0, 1.0, 0.0};
        const Spread b{9, 12.0, 2.0, 0.0};
        // va = 1/4, vb = 4/9; ν = (25/36)² / ((1/16)/3 + (16/81)/8) = 10.5965
        const double degrees = (25.0 / 36.0) * (25.0 / 36.0) / (1.0 / 48.0 + 2.0 / 81.0);
        const auto difference = differenceOf(a, b);
        QCOMPARE(difference->difference, 2.0);
        QVERIFY(std::abs(difference->margin - studentT(0.95, degrees) * 5.0 / 6.0) < 1e-9);
        QVERIFY(difference->isBeyond()); // 2 > 2.21 · 0.833
    }

    void tooFewTellNothing() {
        const Spread enough{10, 10.0, 1.0, 0.0};
        QVERIFY(!differenceOf({2, 20.0, 0.1, 0.0}, enough));
        QVERIFY(!differenceOf(enough, {1, 20.0, 0.0, 0.0}));
        QVERIFY(differenceOf(enough, {3, 20.0, 0.1, 0.0}));
    }

    void withoutVariationAnyDifferenceCounts() {
        QVERIFY(differenceOf({5, 1.0, 0.0, 0.0}, {5, 1.001, 0.0, 0.0})->isBeyond());
        QVERIFY(!differenceOf({5, 1.0, 0.0, 0.0}, {5, 1.0, 0.0, 0.0})->isBeyond());
    }

    // One run in twenty seems different though it is not, whatever the sizes.
    void falseAlarmsAreAsStated() {
        for (const double rate : {falseAlarms(10, 10, 1.0), falseAlarms(5, 20, 3.0)}) {
            QVERIFY2(rate > 0.025 && rate < 0.07, qPrintable(QString::number(rate)));
        }
        // Neighbours alike: without the correction it would be one in three.
        const double correlated = falseAlarms(40, 40, 1.0, 0.6);
        QVERIFY2(correlated < 0.12, qPrintable(QString::number(correlated)));
    }
};

TRAINSCOPE_TEST(tst_Spread)
#include "tst_Spread.moc"
