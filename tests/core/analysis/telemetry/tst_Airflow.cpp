// Cool and hot positions of a node, from planted temperatures.

#include "core/analysis/telemetry/Airflow.h"
#include "core/analysis/telemetry/Temperature.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

using Excess = std::function<double(int local, int step)>; // °C

// GPUs that idle for ten steps and then draw 600 W, each a little more than the one before it;
// 0.05 °C/W above 25 °C.
std::vector<GpuHeat> node(int number, int gpus, const Excess& excess, double wattsApart = 1.0) {
    std::vector<GpuHeat> out;
    for (int local = 0; local < gpus; ++local) {
        GpuHeat gpu{number, local, {}, {}};
        for (int step = 0; step < 60; ++step) {
            const double watts = step < 10 ? 100.0 : 600.0 + wattsApart * local;
            gpu.powerW.push_back(watts);
            gpu.temperatureC.push_back(
                std::round(25.0 + 0.05 * watts + (step < 10 ? 0.0 : excess(local, step))));
        }
        out.push_back(std::move(gpu));
    }
    return out;
}

std::vector<GpuHeat> both(std::vector<GpuHeat> a, const std::vector<GpuHeat>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

bool isOneOf(int local, const std::vector<int>& locals) {
    return std::find(locals.begin(), locals.end(), local) != locals.end();
}

Excess hotAt(const std::vector<int>& locals, double celsius = 6.0) {
    return [=](int local, int) { return isOneOf(local, locals) ? celsius : 0.0; };
}

bool isAssumed(const Airflow& found) {
    return found.origin == AirflowOrigin::Assumed && found.order.empty();
}

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

class tst_Airflow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hotPositionsOfOneNode() {
        const auto found = inferAirflow(node(0, 8, hotAt({1, 2, 5, 6})));
        QVERIFY(found.origin == AirflowOrigin::Inferred);
        QCOMPARE(found.order, (AirflowOrder{0, 3, 4, 7, 1, 2, 5, 6}));
        QVERIFY(found.evidence.find("GPUs 1, 2, 5, 6 are 6 °C hotter") == 0);
    }

    void theSamePositionsOfSeveralNodes() {
        std::vector<GpuHeat> gpus;
        for (int i = 0; i < 4; ++i)
            gpus = both(std::move(gpus), node(i, 4, hotAt({0, 1}, 5.0 + i)));
        QCOMPARE(inferAirflow(gpus).order, (AirflowOrder{2, 3, 0, 1}));
    }

    void oneHotGpuOfOneNodeIsNotItsPlace() {
        const auto found = inferAirflow(node(0, 8, hotAt({5}, 12.0), 0.0));
        QVERIFY(isAssumed(found));
        QVERIFY(found.evidence.find("GPU 5 alone is 12 °C hotter") == 0);
    }

    // GPU 3, which has fresh air, is 20 °C hotter: the others part, and it is one of four on its
    // side.
    void aBadGpuAmongPositions() {
        const auto found = inferAirflow(node(
            0, 8,
            [](int local, int) {
                return isOneOf(local, {1, 2, 5, 6}) ? 7.0 : local == 3 ? 20.0 : 0.0;
            },
            0.0));
        QVERIFY(found.origin == AirflowOrigin::Inferred);
        QCOMPARE(found.order, (AirflowOrder{0, 3, 4, 7, 1, 2, 5, 6}));
        QVERIFY(
            found.evidence.find("GPUs 1, 2, 5, 6 are 7 °C hotter at equal power than GPUs 0, 4, 7")
            == 0);
        VERIFY_SAYS(found.evidence, "GPU 3 alone is 13 °C hotter");
    }

    void runsThatAgree() {
        const auto run = node(0, 8, hotAt({1, 2, 5, 6}));
        const auto found = inferAirflow(run, {run, run, node(0, 8, hotAt({}))});
        QVERIFY(found.origin == AirflowOrigin::Inferred);
        VERIFY_SAYS(found.evidence, "2 of 2 other runs");
    }

    void runsThatDisagree() {
        const auto run = node(0, 8, hotAt({1, 2, 5, 6}));
        const auto other = node(0, 8, hotAt({0, 3, 4, 7}));
        QVERIFY(isAssumed(inferAirflow(run, {other})));
        // Three of four are three quarters.
        QVERIFY(inferAirflow(run, {run, run, other}).origin == AirflowOrigin::Inferred);
        QVERIFY(isAssumed(inferAirflow(other, {run, run, run})));
    }

    void toldByOtherRuns() {
        const auto run = node(0, 8, hotAt({1, 2, 5, 6}));
        const auto found = inferAirflow({}, {run, run});
        QVERIFY(found.origin == AirflowOrigin::Inferred);
        QCOMPARE(found.order, (AirflowOrder{0, 3, 4, 7, 1, 2, 5, 6}));
        QVERIFY(isAssumed(inferAirflow({}, {run})));
        // One that has data, and shows no positions, does not take them from others.
        QVERIFY(isAssumed(inferAirflow(node(0, 8, hotAt({})), {run, run})));
    }

    // One bad GPU does not hide the positions that eight nodes share.
    void aBadGpuAmongNodes() {
        std::vector<GpuHeat> gpus;
        for (int i = 0; i < 8; ++i)
            gpus = both(std::move(gpus), node(i, 8, [i](int local, int) {
                return (local >= 4 ? 7.0 : 0.0) + (i == 3 && local == 1 ? 20.0 : 0.0);
            }));
        QCOMPARE(inferAirflow(gpus).order, (AirflowOrder{0, 1, 2, 3, 4, 5, 6, 7}));
    }

    void nodesThatDisagree() {
        QVERIFY(isAssumed(
            inferAirflow(both(node(0, 8, hotAt({1, 2, 5, 6})), node(1, 8, hotAt({0, 3, 4, 7}))))));
    }

    void equalGpusTellNothing() {
        QVERIFY(isAssumed(inferAirflow(node(0, 8, hotAt({})))));
        QVERIFY(isAssumed(inferAirflow({})));
        // Each 2 °C above the one before: no groups.
        QVERIFY(isAssumed(inferAirflow(node(0, 8, [](int local, int) { return 2.0 * local; }))));
    }

    // 100 W more at 0.05 °C/W are 5 °C, which are no matter of the place.
    void hotterForItsPowerOnly() {
        auto gpus = node(0, 8, hotAt({}), 0.0);
        for (const int local : {2, 3, 6, 7}) {
            for (std::size_t i = 10; i < 60; ++i) {
                gpus[static_cast<std::size_t>(local)].powerW[i] += 100.0;
                gpus[static_cast<std::size_t>(local)].temperatureC[i] += 5.0;
            }
        }
        QVERIFY(isAssumed(inferAirflow(gpus)));
    }

    void notWhatChangesOverTheRun() {
        QVERIFY(isAssumed(inferAirflow(node(0, 8, [](int local, int step) {
            const bool isHot = step < 38 ? local >= 4 : local < 4;
            return isHot ? 12.0 : 0.0;
        }))));
    }

    void notOfIncompleteRecords() {
        auto gpus = node(0, 8, hotAt({1, 2, 5, 6}));
        gpus[3].powerW.assign(60, std::numeric_limits<double>::quiet_NaN());
        QVERIFY(isAssumed(inferAirflow(gpus)));
    }

    void rearMinusFrontOverNodes() {
        const auto found = airflowGradient(
            {{0, {{0, 50}, {1, 52}, {2, 60}, {3, 62}}}, {1, {{0, 51}, {1, 51}, {2, 55}, {3, 55}}}});
        QVERIFY(found.has_value());
        QCOMPARE(found->celsius, 7.0); // (10 + 4) / 2
        QCOMPARE(found->frontC, 51.0);
        QCOMPARE(found->rearC, 58.0);
        QCOMPARE(found->nodes.size(), std::size_t{2});
    }
    void anotherOrder() {
        const auto found
            = airflowGradient({{0, {{0, 50}, {1, 60}, {2, 52}, {3, 62}}}}, {0, 2, 1, 3});
        QCOMPARE(found->celsius, 10.0);
    }
    void theMiddleBelongsToNeither() {
        QCOMPARE(airflowGradient({{0, {{0, 50}, {1, 99}, {2, 58}}}})->celsius, 8.0);
    }
    void missingGpusAreLeftOut() {
        const auto found = airflowGradient({{0, {{0, 50}, {3, 62}}}, {1, {{0, 40}}}}, {0, 1, 2, 3});
        QCOMPARE(found->celsius, 12.0);
        QCOMPARE(found->nodes.size(), std::size_t{1});
        QVERIFY(!airflowGradient({{0, {{0, 50}}}}));
        QVERIFY(!airflowGradient({}));
    }

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

TRAINSCOPE_TEST(tst_Airflow)
#include "tst_Airflow.moc"
