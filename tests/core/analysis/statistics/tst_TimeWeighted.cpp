// Time-weighted statistics against hand-derived cases and a brute force in long double.

#include "core/analysis/statistics/Accumulators.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace trainscope;
using trainscope::analysis::TimeWeighted;

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kSecondNs = 1'000'000'000;

struct Samples {
    std::vector<TimeNs> times;
    std::vector<double> values;
};

TimeWeighted accumulated(const Samples& samples, std::size_t block) {
    TimeWeighted result;
    for (std::size_t i = 0; i < samples.times.size(); i += block) {
        const auto n = std::min(block, samples.times.size() - i);
        result.add(std::span(samples.times).subspan(i, n), std::span(samples.values).subspan(i, n));
    }
    return result;
}

Samples atSeconds(const std::vector<double>& seconds, const std::vector<double>& values) {
    Samples samples;
    for (const double s : seconds)
        samples.times.push_back({1'700'000'000 * kSecondNs + std::llround(s * 1e9)});
    samples.values = values;
    return samples;
}

Samples randomSamples(unsigned seed) {
    std::mt19937_64 random(seed);
    Samples samples;
    std::int64_t t = 1'700'000'000 * kSecondNs;
    const int count = 1 + static_cast<int>(random() % 3000);
    for (int i = 0; i < count; ++i) {
        if (random() % 10 != 0)
            t += static_cast<std::int64_t>(random() % 200'000'000);
        samples.times.push_back({t});
        const double value = static_cast<double>(random() % 700'000) / 1000.0;
        samples.values.push_back(random() % 8 == 0 ? kGap : value);
    }
    return samples;
}

bool close(double actual, long double expected) {
    return std::fabs(static_cast<long double>(actual) - expected)
        <= 1e-12L * std::max(1.0L, std::fabs(expected));
}

} // namespace

class tst_TimeWeighted : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void handDerived_data() {
        QTest::addColumn<std::vector<double>>("seconds");
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<double>("mean");
        QTest::addColumn<double>("p50");
        QTest::addColumn<double>("p99");
        using V = std::vector<double>;
        // 1·100 + 3·200 over 4 s; the last value weighs nothing.
        QTest::newRow("uneven steps") << V{0, 1, 4} << V{100, 200, 900} << 175.0 << 200.0 << 200.0;
        // The interval from the missing sample (1..4 s) is left out: (1·100 + 1·50) / 2 s.
        QTest::newRow("missing") << V{0, 1, 4, 5} << V{100, kGap, 50, 0} << 75.0 << 50.0 << 100.0;
        QTest::newRow("single") << V{7} << V{42} << 42.0 << 42.0 << 42.0;
        QTest::newRow("only the last present") << V{0, 1} << V{kGap, 5} << 5.0 << 5.0 << 5.0;
        // Two samples at one stamp count equally when no time passes.
        QTest::newRow("no time") << V{3, 3} << V{10, 20} << 15.0 << 10.0 << 20.0;
        // A repeated stamp: the first of the pair holds for no time.
        QTest::newRow("repeated stamp")
            << V{0, 1, 1, 2} << V{10, 99, 20, 0} << 15.0 << 10.0 << 20.0;
        // 100 equal seconds of 1..100: half the time at 50 or below, 99 % at 99 or below.
        V seconds;
        V values;
        for (int i = 0; i <= 100; ++i) {
            seconds.push_back(i);
            values.push_back(i < 100 ? 100 - i : 1e6);
        }
        QTest::newRow("quantiles") << seconds << values << 50.5 << 50.0 << 99.0;
    }

    void handDerived() {
        QFETCH(std::vector<double>, seconds);
        QFETCH(std::vector<double>, values);
        QFETCH(double, mean);
        QFETCH(double, p50);
        QFETCH(double, p99);
        auto result = accumulated(atSeconds(seconds, values), 2);
        QVERIFY(close(*result.mean(), mean));
        QCOMPARE(result.samples(), static_cast<std::int64_t>(values.size()));
        const auto distribution = std::move(result).takeDistribution();
        QCOMPARE(*distribution.quantile(0.5), p50);
        QCOMPARE(*distribution.quantile(0.99), p99);
    }

    void samplesWithoutTimeCountEquallyUntilTimePasses() {
        const std::vector<TimeNs> stamp = {{kSecondNs}};
        TimeWeighted sum;
        for (const double value : {10.0, 30.0})
            sum.add(stamp, std::vector<double>{value});
        QCOMPARE(*sum.mean(), 20.0);
        sum.add(std::vector<TimeNs>{{2 * kSecondNs}, {4 * kSecondNs}}, std::vector<double>{60, 0});
        // 30 held for one second, 60 for two.
        QCOMPARE(*sum.mean(), 50.0);
        const auto distribution = std::move(sum).takeDistribution();
        QCOMPARE(distribution.totalWeight(), 3 * kSecondNs);
        QCOMPARE(*distribution.quantile(0.1), 30.0);
    }

    void extremesIncludeTheLastSample() {
        const auto samples = atSeconds({0, 1, 2, 3}, {5, kGap, -2, 9});
        const auto result = accumulated(samples, 100);
        QCOMPARE(*result.min(), -2.0);
        QCOMPARE(*result.max(), 9.0);
        QCOMPARE(result.missing(), std::int64_t{1});
    }

    void nothingPresent() {
        auto result = accumulated(atSeconds({0, 1}, {kGap, kGap}), 1);
        QVERIFY(!result.mean());
        QVERIFY(!result.min());
        QVERIFY(!result.max());
        QCOMPARE(result.samples(), std::int64_t{2});
        QCOMPARE(result.missing(), std::int64_t{2});
        QVERIFY(!std::move(result).takeDistribution().quantile(0.5));
    }

    void randomDataMatchesBruteForce() {
        for (unsigned seed = 0; seed < 200; ++seed) {
            const auto samples = randomSamples(seed);
            const std::size_t block = 1 + seed % 100;
            auto result = accumulated(samples, block);
            long double sum = 0;
            long double time = 0;
            std::vector<std::pair<double, std::int64_t>> held;
            for (std::size_t i = 0; i + 1 < samples.times.size(); ++i) {
                const auto dt = samples.times[i + 1].ns - samples.times[i].ns;
                if (std::isnan(samples.values[i]))
                    continue;
                sum += static_cast<long double>(samples.values[i]) * static_cast<long double>(dt);
                time += static_cast<long double>(dt);
                held.push_back({samples.values[i], dt});
            }
            if (time == 0)
                continue;
            QVERIFY2(close(*result.mean(), sum / time), qPrintable(QString::number(seed)));
            std::sort(held.begin(), held.end());
            const auto distribution = std::move(result).takeDistribution();
            for (const double q : {0.01, 0.5, 0.9, 0.99, 1.0}) {
                std::int64_t below = 0;
                std::size_t i = 0;
                while (i + 1 < held.size()
                    && static_cast<long double>(below += held[i].second)
                        < static_cast<long double>(q) * time)
                    ++i;
                QCOMPARE(*distribution.quantile(q), held[i].first);
            }
        }
    }

    void hugeCountsKeepTheirPrecision() {
        // 10^7 samples of 0.1 W above 10^6 W: a plain sum would lose digits, the mean is exact by
        // symmetry.
        TimeWeighted result;
        std::vector<TimeNs> times(100'000);
        std::vector<double> values(100'000);
        for (std::int64_t block = 0; block < 100; ++block) {
            for (std::int64_t i = 0; i < 100'000; ++i) {
                times[static_cast<std::size_t>(i)] = {(block * 100'000 + i) * 100'000'000};
                values[static_cast<std::size_t>(i)] = i % 2 == 0 ? 1e6 + 0.1 : 1e6 + 0.3;
            }
            result.add(times, values);
        }
        // The last sample (an odd one) holds for no time.
        const long double intervals = 1e7L - 1;
        const long double expected = (5e6L * static_cast<long double>(1e6 + 0.1)
                                         + (5e6L - 1) * static_cast<long double>(1e6 + 0.3))
            / intervals;
        QVERIFY(std::fabs(static_cast<long double>(*result.mean()) - expected) <= 1e-9L);
    }
};

TRAINSCOPE_TEST(tst_TimeWeighted)
#include "tst_TimeWeighted.moc"
