#include <QtTest>

#include "core/analysis/telemetry/Temperature.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

// 0.5 s steps from t = 0.
template <typename Shape>
UniformSeries record(int steps, Shape&& shape) {
    UniformSeries out{{0}, {500'000'000}, {}};
    for (int i = 0; i < steps; ++i)
        out.values.push_back(shape(0.5 * i));
    return out;
}

} // namespace

class tst_Settling : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 100 − 60·exp(−t/40) under a moving mean of 50 s is 100 − way·exp(−t/40) with
    // way = 60·(1 − exp(−50/40))·40/50 = 34.2 °C; its 5 % are left when exp(−t/40) = 1/20.
    void anExponentialRiseSettles() {
        const auto found = settledFrom(
            record(2000, [](double t) { return 100.0 - 60.0 * std::exp(-t / 40.0); }));
        QVERIFY(found.has_value());
        const double seconds = static_cast<double>(found->ns) * 1e-9;
        QVERIFY(std::abs(seconds - 40.0 * std::log(20.0)) <= 0.5);
    }
    void aSteadyTemperatureIsSettledAtOnce() {
        const auto found
            = settledFrom(record(400, [](double t) { return 65.0 + 0.8 * std::sin(2.0 * t); }));
        QVERIFY(found.has_value());
        QCOMPARE(found->ns, std::int64_t{0});
    }
    void aSteadyRiseNeverSettles() {
        QVERIFY(!settledFrom(record(2000, [](double t) { return 30.0 + 0.04 * t; })));
    }
    void aLateStepIsNotSettled() {
        QVERIFY(!settledFrom(record(2000, [](double t) { return t < 900.0 ? 50.0 : 70.0; })));
        const auto early
            = settledFrom(record(2000, [](double t) { return t < 200.0 ? 50.0 : 70.0; }));
        QVERIFY(early.has_value());
        // The moving mean of 50 s is within 1 °C once at most 2.5 s of it lie before the step.
        QVERIFY(std::abs(static_cast<double>(early->ns) * 1e-9 - 197.5) <= 0.5);
    }
    void tooLittleIsAbsent() {
        QVERIFY(!settledFrom(record(39, [](double) { return 60.0; })));
        QVERIFY(!settledFrom(record(400, [](double) { return std::nan(""); })));
    }
};

TRAINSCOPE_TEST(tst_Settling)
#include "tst_Settling.moc"
