// Order statistics: exact while small, within the promised error when memory is bounded.

#include "core/analysis/statistics/Distribution.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using trainscope::analysis::Distribution;

class tst_Distribution : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void medianCountsByWeight_data() {
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<double>("median");
        using V = std::vector<double>;
        QTest::newRow("one") << V{3} << 3.0;
        QTest::newRow("two") << V{4, 1} << 2.5;
        QTest::newRow("odd") << V{9, 1, 4} << 4.0;
        QTest::newRow("even") << V{9, 1, 4, 5} << 4.5;
        QTest::newRow("repeated") << V{2, 2, 2, 7} << 2.0;
    }

    void medianCountsByWeight() {
        QFETCH(std::vector<double>, values);
        QFETCH(double, median);
        Distribution distribution;
        for (const double value : values)
            distribution.add(value, 1);
        QCOMPARE(*distribution.median(), median);
    }

    void emptyAndWeightless() {
        Distribution distribution;
        distribution.add(5.0, 0);
        distribution.add(5.0, -3);
        QVERIFY(!distribution.quantile(0.5));
        QVERIFY(!distribution.median());
    }

    void quantileIsTheSmallestValueThatReachesTheShare() {
        Distribution distribution;
        distribution.add(30.0, 1);
        distribution.add(10.0, 98);
        distribution.add(20.0, 1);
        QCOMPARE(*distribution.quantile(0.98), 10.0);
        QCOMPARE(*distribution.quantile(0.99), 20.0);
        QCOMPARE(*distribution.quantile(0.991), 30.0);
        QCOMPARE(*distribution.quantile(0.0), 10.0);
        QCOMPARE(*distribution.quantile(1.0), 30.0);
    }

    void boundedMemoryStaysWithinItsError() {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> uniform(60.0, 700.0);
        Distribution bounded(1024);
        std::vector<double> all;
        for (int i = 0; i < 100'000; ++i) {
            all.push_back(uniform(random));
            bounded.add(all.back(), 1);
        }
        std::sort(all.begin(), all.end());
        QVERIFY(bounded.relativeError() > 0.0);
        QVERIFY(bounded.relativeError() < 0.02);
        for (const double q : {0.1, 0.5, 0.99}) {
            const double exact = all[static_cast<std::size_t>(std::ceil(q * 100'000)) - 1];
            const double error = std::abs(*bounded.quantile(q) - exact) / exact;
            QVERIFY2(error <= bounded.relativeError(), qPrintable(QString::number(error)));
        }
        QCOMPARE(bounded.totalWeight(), std::int64_t{100'000});
    }

    void fewDistinctValuesStayExactForever() {
        Distribution bounded(64);
        for (int i = 0; i < 100'000; ++i)
            bounded.add((i % 30) + 0.1, 1);
        QCOMPARE(bounded.relativeError(), 0.0);
        QCOMPARE(*bounded.quantile(0.5), 14.1);
    }

    // Values that come again, at first or only later, among others that do not.
    void agreesWithAMapOfWeights() {
        std::mt19937_64 random(11);
        for (const std::uint64_t distinct : {1U, 3U, 200U, 300U, 5000U, 1'000'000U}) {
            std::map<double, std::int64_t> weights;
            Distribution distribution;
            std::int64_t total = 0;
            for (int i = 0; i < 20'000; ++i) {
                const double value = static_cast<double>(random() % distinct) / 8.0 - 3.0;
                const auto weight = 1 + static_cast<std::int64_t>(random() % 1000);
                distribution.add(value, weight);
                weights[value] += weight;
                total += weight;
            }
            QCOMPARE(distribution.totalWeight(), total);
            for (const double q : {0.001, 0.25, 0.5, 0.99, 0.9999}) {
                std::int64_t reached = 0;
                auto at = weights.begin();
                while (static_cast<double>(reached += at->second) < q * static_cast<double>(total))
                    ++at;
                const auto [lower, upper] = distribution.quantiles(q, 1.0);
                QCOMPARE(*lower, at->first);
                QCOMPARE(*upper, weights.rbegin()->first);
            }
        }
    }

    void poolsAddUp() {
        Distribution a;
        Distribution b;
        a.add(1.0, 3);
        b.add(2.0, 4);
        a.add(std::move(b));
        QCOMPARE(a.totalWeight(), std::int64_t{7});
        QCOMPARE(*a.quantile(0.5), 2.0);
        QCOMPARE(*a.quantile(3.0 / 7.0), 1.0);
    }
};

TRAINSCOPE_TEST(tst_Distribution)
#include "tst_Distribution.moc"
