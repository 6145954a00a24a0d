// Levels that change for good in series whose truth is planted; none in noise, spikes and drifts.

#include "core/analysis/steps/IterationTable.h"
#include "support/TestProgram.h"

#include <random>

using namespace trainscope::analysis;

namespace {

// Around 1, each value following the one before by `correlation`; one of 50 takes up to three times
// as long.
std::vector<double> noise(
    std::mt19937& random, std::size_t count, double correlation, double deviation) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    double state = normal(random);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        state = correlation * state + std::sqrt(1.0 - correlation * correlation) * normal(random);
        const double spike = uniform(random) < 0.02 ? 1.0 + 2.0 * uniform(random) : 1.0;
        values.push_back((1.0 + deviation * state) * spike);
    }
    return values;
}

void raise(std::vector<double>& values, std::size_t from, double factor) {
    for (std::size_t i = from; i < values.size(); ++i)
        values[i] *= factor;
}

} // namespace

class tst_LevelChange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noiseHasNone() {
        std::mt19937 random(11);
        int series = 0;
        int alarms = 0;
        for (const double deviation : {0.01, 0.03, 0.1}) {
            for (const std::size_t count :
                {std::size_t{20}, std::size_t{50}, std::size_t{200}, std::size_t{1000}}) {
                for (const double correlation : {0.0, 0.3, 0.6, 0.9}) {
                    for (int i = 0; i < 25; ++i) {
                        alarms += levelChanges(noise(random, count, correlation, deviation)).empty()
                            ? 0
                            : 1;
                        ++series;
                    }
                }
            }
        }
        QCOMPARE(series, 1200);
        QVERIFY2(alarms <= series / 100, qPrintable(QString::number(alarms)));
    }

    void changesAreFound_data() {
        QTest::addColumn<double>("factor");
        QTest::addColumn<double>("correlation");
        QTest::addColumn<int>("count");
        QTest::newRow("3 % of many") << 1.03 << 0.0 << 2000;
        QTest::newRow("5 %") << 1.05 << 0.0 << 200;
        QTest::newRow("5 % less") << 0.95 << 0.0 << 200;
        QTest::newRow("10 %, correlated") << 1.1 << 0.5 << 200;
        QTest::newRow("a third, of few") << 1.33 << 0.0 << 40;
        QTest::newRow("half as long, strongly correlated") << 0.5 << 0.9 << 200;
    }
    void changesAreFound() {
        QFETCH(double, factor);
        QFETCH(double, correlation);
        QFETCH(int, count);
        std::mt19937 random(5);
        constexpr int kTries = 50;
        const auto size = static_cast<std::size_t>(count);
        const std::size_t at = size * 2 / 5;
        int found = 0;
        int moments = 0;
        int sizes = 0;
        for (int i = 0; i < kTries; ++i) {
            auto values = noise(random, size, correlation, 0.02);
            raise(values, at, factor);
            const auto changes = levelChanges(values);
            if (changes.size() != 1)
                continue;
            ++found;
            const LevelChange& one = changes.front();
            moments += one.earliest <= at && at <= one.latest ? 1 : 0;
            sizes += std::abs(one.after - one.before - (factor - 1.0)) <= one.margin ? 1 : 0;
            QVERIFY(one.earliest <= one.at && one.at <= one.latest);
        }
        // The bounds are those of 90 %, within the chance of so many tries.
        QVERIFY2(found >= kTries * 9 / 10, qPrintable(QString::number(found)));
        QVERIFY2(moments >= found * 4 / 5, qPrintable(QString::number(moments)));
        QVERIFY2(sizes >= found * 7 / 10, qPrintable(QString::number(sizes)));
    }

    void severalInOneRun() {
        std::mt19937 random(3);
        auto values = noise(random, 900, 0.2, 0.02);
        raise(values, 300, 1.1);
        raise(values, 500, 1.4 / 1.1);
        raise(values, 700, 1.3 / 1.4);
        const auto changes = levelChanges(values);
        QCOMPARE(changes.size(), std::size_t{3});
        const std::array<std::size_t, 3> at{300, 500, 700};
        const std::array after{1.1, 1.4, 1.3};
        for (std::size_t i = 0; i < at.size(); ++i) {
            QVERIFY(changes[i].earliest <= at[i] + 2 && at[i] <= changes[i].latest + 2);
            QVERIFY(std::abs(changes[i].after - after[i]) < 0.01);
        }
    }

    // Up and back: neither level alone explains the middle.
    void aStretchHasTwo() {
        std::mt19937 random(4);
        auto values = noise(random, 900, 0.2, 0.02);
        raise(values, 300, 1.2);
        raise(values, 600, 1.0 / 1.2);
        QCOMPARE(levelChanges(values).size(), std::size_t{2});
    }

    void aStallIsNone() {
        std::mt19937 random(6);
        auto values = noise(random, 900, 0.2, 0.02);
        for (std::size_t i = 300; i < 304; ++i)
            values[i] *= 5.0;
        QVERIFY(levelChanges(values).empty());
    }

    void aDriftIsNone() {
        std::mt19937 random(8);
        int alarms = 0;
        for (const double over : {0.1, 0.5, 2.0}) {
            for (int i = 0; i < 50; ++i) {
                auto values = noise(random, 300, 0.3, 0.02);
                for (std::size_t at = 0; at < values.size(); ++at)
                    values[at] *= 1.0 + over * static_cast<double>(at) / 300.0;
                alarms += levelChanges(values).empty() ? 0 : 1;
            }
        }
        QVERIFY2(alarms <= 3, qPrintable(QString::number(alarms)));
    }

    void withoutNoise() {
        std::vector<double> values(200, 0.1);
        raise(values, 120, 1.2);
        const auto changes = levelChanges(values);
        QCOMPARE(changes.size(), std::size_t{1});
        QCOMPARE(changes.front().at, std::size_t{120});
        QCOMPARE(changes.front().earliest, std::size_t{120});
        QCOMPARE(changes.front().latest, std::size_t{120});
        QVERIFY(std::abs(changes.front().ratio() - 1.2) < 1e-9);
        QVERIFY(levelChanges(std::vector<double>(200, 0.1)).empty());
        QVERIFY(levelChanges(std::vector<double>(11, 0.1)).empty());
        QVERIFY(levelChanges({}).empty());
    }

    // A log tells the mean of 100 iterations: the change at 2,155 lies anywhere in the 22nd
    // hundred.
    void meansHideTheMoment() {
        std::mt19937 random(9);
        std::normal_distribution<double> normal;
        std::vector<double> values;
        for (std::size_t block = 0; block < 48; ++block) {
            const double level = block < 21 ? 95.0
                : block == 21               ? 0.55 * 95.0 + 0.45 * 142.0
                                            : 142.0;
            values.insert(values.end(), 100, level + 0.2 * normal(random));
        }
        const auto changes = levelChanges(values);
        QCOMPARE(changes.size(), std::size_t{1});
        QVERIFY(changes.front().earliest <= 2100 && changes.front().latest >= 2200);
        QVERIFY(changes.front().earliest >= 2000 && changes.front().latest <= 2300);
    }
};

TRAINSCOPE_TEST(tst_LevelChange)
#include "tst_LevelChange.moc"
