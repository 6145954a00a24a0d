#include "core/analysis/telemetry/Temperature.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

struct Record {
    UniformSeries power;
    UniformSeries temperature;
};

// Integrated with a hundred small steps per moment, independently of the fit's closed form. The
// load switches at random between idle and busy; the sensor shows whole degrees.
Record recordOf(double tau, double resistance, double rest, double seconds, bool rounded = true) {
    constexpr double step = 0.1;
    constexpr int fine = 100;
    Record out{{{0}, {100'000'000}, {}}, {{0}, {100'000'000}, {}}};
    std::mt19937 random(11);
    double temperature = 35.0;
    double power = 100.0;
    for (int i = 0; i < static_cast<int>(seconds / step); ++i) {
        if (random() % 150 == 0)
            power = power > 300.0 ? 120.0 : 650.0;
        out.power.values.push_back(power);
        out.temperature.values.push_back(rounded ? std::round(temperature) : temperature);
        for (int k = 0; k < fine; ++k)
            temperature += step / fine * (rest + resistance * power - temperature) / tau;
    }
    return out;
}

// 0.5 s steps from t = 0.
template <typename Shape>
UniformSeries record(int steps, Shape&& shape) {
    UniformSeries out{{0}, {500'000'000}, {}};
    for (int i = 0; i < steps; ++i)
        out.values.push_back(shape(0.5 * i));
    return out;
}

} // namespace

class tst_ThermalFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPlantedTimeConstantIsFound_data() {
        const auto row = test::columns<double, double>("tau", "resistance");
        row("fast", 4.0, 0.08);
        row("usual", 25.0, 0.06);
        row("slow", 90.0, 0.07);
    }
    void aPlantedTimeConstantIsFound() {
        QFETCH(const double, tau);
        QFETCH(const double, resistance);
        const Record record = recordOf(tau, resistance, 28.0, 600.0);
        const auto fit = fitThermal(record.power, record.temperature);
        QVERIFY(fit.has_value());
        QVERIFY(std::abs(fit->timeConstantS - tau) < 0.03 * tau);
        QVERIFY(std::abs(fit->resistanceCPerW - resistance) < 0.02 * resistance);
        QVERIFY(std::abs(fit->restC - 28.0) < 0.5);
        // Rounding to whole degrees alone is 1/√12 °C.
        QVERIFY(std::abs(fit->residualC - 0.289) < 0.05);
        QVERIFY(fit->explained > 0.98);
    }

    void missingTemperaturesDoNotMatter() {
        Record record = recordOf(25.0, 0.06, 28.0, 600.0);
        for (std::size_t i = 0; i < record.temperature.values.size(); ++i) {
            if (i % 3 == 0)
                record.temperature.values[i] = std::numeric_limits<double>::quiet_NaN();
        }
        const auto fit = fitThermal(record.power, record.temperature);
        QVERIFY(fit.has_value());
        QVERIFY(std::abs(fit->timeConstantS - 25.0) < 0.75);
    }

    void whatCannotBeToldIsAbsent() {
        const Record record = recordOf(25.0, 0.06, 28.0, 600.0);
        UniformSeries flat = record.temperature;
        for (double& value : flat.values)
            value = 60.0;
        QVERIFY(!fitThermal(record.power, flat));
        QVERIFY(!fitThermal({}, {}));
        // Temperatures that have nothing to do with the power.
        UniformSeries noise = record.temperature;
        std::mt19937 random(3);
        for (double& value : noise.values)
            value = 50.0 + static_cast<double>(random() % 20);
        QVERIFY(!fitThermal(record.power, noise));
        // Far slower than the record is long.
        const Record slow = recordOf(5000.0, 0.06, 28.0, 60.0, false);
        QVERIFY(!fitThermal(slow.power, slow.temperature));
    }

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

TRAINSCOPE_TEST(tst_ThermalFit)
#include "tst_ThermalFit.moc"
