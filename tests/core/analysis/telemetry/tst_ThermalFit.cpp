#include <QtTest>

#include "core/analysis/telemetry/Temperature.h"
#include "support/TestProgram.h"

#include <cmath>
#include <limits>
#include <random>

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

} // namespace

class tst_ThermalFit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPlantedTimeConstantIsFound_data() {
        QTest::addColumn<double>("tau");
        QTest::addColumn<double>("resistance");
        QTest::newRow("fast") << 4.0 << 0.08;
        QTest::newRow("usual") << 25.0 << 0.06;
        QTest::newRow("slow") << 90.0 << 0.07;
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
};

TRAINSCOPE_TEST(tst_ThermalFit)
#include "tst_ThermalFit.moc"
