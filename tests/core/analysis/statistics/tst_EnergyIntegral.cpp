// Energy: trapezoids, gaps and repeated stamps, against hand-derived numbers and a brute force in
// long double.

#include "core/analysis/statistics/Accumulators.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace trainscope;
using trainscope::analysis::EnergyIntegral;

namespace {

constexpr double kNoReading = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kSecond = 1'000'000'000;

EnergyIntegral integrated(const std::vector<TimeNs>& times, const std::vector<double>& watts) {
    EnergyIntegral first;
    first.add(times, watts);
    const double limit = first.gapLimit();
    if (first.longest() <= limit)
        return first;
    EnergyIntegral second(limit);
    second.add(times, watts);
    return second;
}

} // namespace

class tst_EnergyIntegral : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void handDerived_data() {
        QTest::addColumn<std::vector<std::int64_t>>("seconds");
        QTest::addColumn<std::vector<double>>("watts");
        QTest::addColumn<double>("joules");
        QTest::addColumn<double>("covered");
        using T = std::vector<std::int64_t>;
        using V = std::vector<double>;
        QTest::newRow("ramp") << T{0, 1, 2} << V{100, 200, 300} << 400.0 << 2.0;
        QTest::newRow("uneven") << T{0, 1, 4} << V{100, 100, 200} << 550.0 << 4.0;
        QTest::newRow("missing is bridged")
            << T{0, 1, 2} << V{100, kNoReading, 300} << 400.0 << 2.0;
        // Periods 1, 1, 1, 10: median 1, ten periods are bridged ...
        QTest::newRow("ten periods") << T{0, 1, 2, 3, 13} << V{10, 10, 10, 10, 10} << 130.0 << 13.0;
        // ... eleven are not.
        QTest::newRow("eleven periods")
            << T{0, 1, 2, 3, 14} << V{10, 10, 10, 10, 10} << 30.0 << 3.0;
        // Periods 1, 3, 21: the middle of an odd number.
        QTest::newRow("median of three") << T{0, 1, 4, 25} << V{10, 10, 10, 10} << 250.0 << 25.0;
        // Periods 1, 1, 3, 30: median 2, limit 20.
        QTest::newRow("median of four")
            << T{0, 1, 2, 5, 35} << V{10, 10, 10, 10, 10} << 50.0 << 5.0;
        QTest::newRow("repeated stamps")
            << T{0, 0, 1, 1, 2} << V{10, 30, 30, 50, 50} << 80.0 << 2.0;
        QTest::newRow("single") << T{5} << V{100} << 0.0 << 0.0;
    }

    void handDerived() {
        QFETCH(std::vector<std::int64_t>, seconds);
        QFETCH(std::vector<double>, watts);
        QFETCH(double, joules);
        QFETCH(double, covered);
        std::vector<TimeNs> times;
        for (const auto s : seconds)
            times.push_back({(1'700'000'000 + s) * kSecond});
        const auto result = integrated(times, watts);
        QCOMPARE(result.joules(), joules);
        QCOMPARE(result.covered().seconds(), covered);
    }

    // 100 W read twice each second, 0.01 s apart: nothing is a hole.
    void readingsInGroups() {
        std::vector<TimeNs> times;
        for (std::int64_t i = 0; i < 30; ++i) {
            times.push_back({i * kSecond});
            times.push_back({i * kSecond + kSecond / 100});
        }
        const auto result = integrated(times, std::vector<double>(times.size(), 100.0));
        QCOMPARE(result.covered().seconds(), 29.01);
        QVERIFY(qAbs(result.joules() - 2901.0) < 1e-9);
    }

    void nothingPresent() {
        EnergyIntegral integral;
        integral.add(std::vector<TimeNs>{{0}, {1}}, std::vector<double>{kNoReading, kNoReading});
        QCOMPARE(integral.present(), std::int64_t{0});
        QCOMPARE(integral.joules(), 0.0);
    }

    void randomDataMatchesBruteForce() {
        for (unsigned seed = 0; seed < 200; ++seed) {
            std::mt19937_64 random(seed);
            std::vector<TimeNs> times;
            std::vector<double> watts;
            std::int64_t t = 1'700'000'000 * kSecond;
            for (int i = 0; i < 2000; ++i) {
                t += random() % 300 == 0 ? 5 * kSecond
                                         : static_cast<std::int64_t>(random() % 200'000'000);
                times.push_back({t});
                watts.push_back(
                    random() % 9 == 0 ? kNoReading : static_cast<double>(random() % 700'000) / 1e3);
            }
            const auto result = integrated(times, watts);

            std::vector<std::size_t> present;
            for (std::size_t i = 0; i < times.size(); ++i) {
                if (!std::isnan(watts[i]))
                    present.push_back(i);
            }
            std::vector<std::int64_t> periods;
            for (std::size_t i = 1; i < present.size(); ++i)
                periods.push_back(times[present[i]].ns - times[present[i - 1]].ns);
            std::erase(periods, 0);
            std::sort(periods.begin(), periods.end());
            const auto n = periods.size();
            const long double median = (static_cast<long double>(periods[(n - 1) / 2])
                                           + static_cast<long double>(periods[n / 2]))
                / 2;
            long double joules = 0;
            for (std::size_t i = 1; i < present.size(); ++i) {
                const auto dt
                    = static_cast<long double>(times[present[i]].ns - times[present[i - 1]].ns);
                if (dt <= 10 * median)
                    joules += (static_cast<long double>(watts[present[i]])
                                  + static_cast<long double>(watts[present[i - 1]]))
                        / 2 * dt * 1e-9L;
            }
            QVERIFY(
                std::fabs(static_cast<long double>(result.joules()) - joules) <= 1e-12L * joules);
            EnergyIntegral whole;
            whole.add(times, watts);
            QCOMPARE(whole.gapLimit(), static_cast<double>(10 * median));
            QCOMPARE(result.present(), static_cast<std::int64_t>(present.size()));
        }
    }
};

TRAINSCOPE_TEST(tst_EnergyIntegral)
#include "tst_EnergyIntegral.moc"
