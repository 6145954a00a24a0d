// Energy: trapezoids, gaps and repeated stamps, against hand-derived numbers and a brute force in
// long double.

#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/statistics/Summary.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;
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

constexpr std::int64_t kS = 1'000'000'000;

bool isNear(const std::optional<Energy>& energy, double joules) {
    return energy && std::abs(energy->joules - joules) < 1e-6 * joules;
}

// 100 W for 10 s, then 300 W for 10 s, as the counter counts it each 10 s, which shows 4 % less
// power than that.
struct Machine {
    FreshStore store;

    explicit Machine(bool withPower = true, bool withCounter = true) {
        std::vector<std::int64_t> at;
        std::vector<double> watts;
        for (std::int64_t i = -20; i <= 220; ++i) {
            at.push_back(i * kS / 10);
            watts.push_back(i < 100 ? 96.0 : 288.0);
        }
        if (withPower)
            addSeries(store, gauge("gpu_power", 0), at, watts);
        if (withCounter)
            addSeries(store, counter("gpu_energy", 0, 64), {0, 10 * kS, 20 * kS},
                {5000.0, 6000.0, 9000.0}, "/data/b.csv");
    }
    std::vector<std::optional<Energy>> in(const std::vector<TimeRange>& windows) {
        const Run run = got(store.findRun("run"));
        const auto gpus = gpuSeriesByRank(got(store.series(run.id)));
        return got(measuredEnergies(store, energySeriesOf(gpus.at(0)), windows));
    }
};

constexpr std::int64_t kRowNs = 1'000'000'000;
constexpr TimeRange kFrom30To70{{30 * kRowNs}, {70 * kRowNs}};

// Rows each second from 0 to 80 s, of which each twentieth has a value: t at t.
void addSparse(Store& store, const SeriesDescription& description) {
    std::vector<std::int64_t> at;
    std::vector<double> values;
    for (int t = 0; t <= 80; ++t) {
        at.push_back(t * kRowNs);
        values.push_back(t % 20 == 0 ? t : test::kMissing);
    }
    addSeries(store, description, at, values, description.metric.name);
}

Series onlySeries(const Store& store) {
    return got(store.series(got(store.findRun("run")).id)).at(0);
}

} // namespace

class tst_EnergyIntegral : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void handDerived_data() {
        const auto row = columns<std::vector<std::int64_t>, std::vector<double>, double, double>(
            "seconds", "watts", "joules", "covered");
        using T = std::vector<std::int64_t>;
        using V = std::vector<double>;
        row("ramp", T{0, 1, 2}, V{100, 200, 300}, 400.0, 2.0);
        row("uneven", T{0, 1, 4}, V{100, 100, 200}, 550.0, 4.0);
        row("missing is bridged", T{0, 1, 2}, V{100, kNoReading, 300}, 400.0, 2.0);
        // Periods 1, 1, 1, 10: median 1, ten periods are bridged ...
        row("ten periods", T{0, 1, 2, 3, 13}, V{10, 10, 10, 10, 10}, 130.0, 13.0);
        // ... eleven are not.
        row("eleven periods", T{0, 1, 2, 3, 14}, V{10, 10, 10, 10, 10}, 30.0, 3.0);
        // Periods 1, 3, 21: the middle of an odd number.
        row("median of three", T{0, 1, 4, 25}, V{10, 10, 10, 10}, 250.0, 25.0);
        // Periods 1, 1, 3, 30: median 2, limit 20.
        row("median of four", T{0, 1, 2, 5, 35}, V{10, 10, 10, 10, 10}, 50.0, 5.0);
        row("repeated stamps", T{0, 0, 1, 1, 2}, V{10, 30, 30, 50, 50}, 80.0, 2.0);
        row("single", T{5}, V{100}, 0.0, 0.0);
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

    // The energy of windows by counter and power, by hand.
    void alongThePowerBetweenSteps() {
        Machine machine;
        const auto found = machine.in(
            {{{0}, {20 * kS}}, {{0}, {10 * kS}}, {{2 * kS}, {4 * kS}}, {{12 * kS}, {14 * kS}}});
        QVERIFY(isNear(found[0], 4000.0));
        QVERIFY(isNear(found[1], 1000.0));
        // 10 s at 96 W with a step up over the last 0.1 s are 960 + 9.6 J, scaled to 1000 J.
        QVERIFY(isNear(found[2], 192.0 * 1000.0 / 969.6));
        QVERIFY(isNear(found[3], 600.0));
        QCOMPARE(found[3]->source, EnergySource::Counter);
        QCOMPARE(found[3]->resolutionS, 10.0);
        QCOMPARE(found[3]->coverage, 1.0);
    }

    // Before the counter's first step and behind its last.
    void byThePowerWhereNothingCounts() {
        Machine machine;
        const auto found = machine.in({{{-1 * kS}, {10 * kS}}, {{21 * kS}, {22 * kS}}});
        QVERIFY(isNear(found[0], 1096.0));
        QVERIFY(isNear(found[1], 288.0));
        QCOMPARE(found[1]->source, EnergySource::Power);
        QCOMPARE(sourceText(*found[1]), std::string("by the power, resolution 100 ms"));
    }

    void evenlyWithoutPower() {
        Machine machine(false);
        QVERIFY(isNear(machine.in({{{12 * kS}, {14 * kS}}})[0], 600.0));
        QVERIFY(!machine.in({{{21 * kS}, {22 * kS}}})[0]);
    }

    void byThePowerWithoutACounter() {
        Machine machine(true, false);
        QVERIFY(isNear(machine.in({{{12 * kS}, {14 * kS}}})[0], 576.0));
    }

    // 100 W for 20 s; a counter of millijoules under a head that says joules, and one that stands.
    void aCounterThatContradictsThePower() {
        for (const double perSecond : {100'000.0, 0.0}) {
            FreshStore store;
            std::vector<std::int64_t> at;
            for (std::int64_t i = 0; i <= 200; ++i)
                at.push_back(i * kS / 10);
            addSeries(store, gauge("gpu_power", 0), at, std::vector<double>(at.size(), 100.0));
            addSeries(store, counter("gpu_energy", 0, 64), {0, 10 * kS, 20 * kS},
                {5.0, 5.0 + 10.0 * perSecond, 5.0 + 20.0 * perSecond}, "/data/b.csv");
            const Run run = got(store.findRun("run"));
            const auto gpus = gpuSeriesByRank(got(store.series(run.id)));
            const auto found = got(
                measuredEnergies(store, energySeriesOf(gpus.at(0)), {{{12 * kS}, {14 * kS}}}));
            QVERIFY(isNear(found[0], 200.0));
            QCOMPARE(found[0]->source, EnergySource::Power);
        }
    }

    // Read each 10 ms and new each 100 ms: steps are where the value changes, 20 J of each 200 W.
    void aCounterThatRepeatsItself() {
        FreshStore store;
        std::vector<std::int64_t> at;
        std::vector<double> joules;
        for (std::int64_t i = 0; i < 500; ++i) {
            at.push_back(i * kS / 100);
            joules.push_back(20.0 * static_cast<double>((i + 5) / 10));
        }
        addSeries(store, counter("gpu_energy", 0, 64), at, joules);
        const Run run = got(store.findRun("run"));
        const auto gpus = gpuSeriesByRank(got(store.series(run.id)));
        const auto found = got(measuredEnergies(
            store, energySeriesOf(gpus.at(0)), {{{kS + 30'000'000}, {kS + 60'000'000}}}));
        QVERIFY(isNear(found[0], 6.0));
        QVERIFY(std::abs(found[0]->resolutionS - 0.1) < 1e-9);
    }

    // Series in which most samples are missing, or several are of one moment: what a period is, and
    // so what is bridged of them in a window.

    // A period is the 20 s between values: all is bridged, (70² − 30²)/2 J and 70 − 30 B.
    void aWindow() {
        FreshStore store;
        addSparse(store, gauge("gpu_power", 0));
        addSparse(store, counter("pcie_rx", 0, 64));
        const auto summary = got(summarise({store, got(store.findRun("run"))}, kFrom30To70));
        QCOMPARE(summary.energy->joules, 2000.0);
        QCOMPARE(summary.energy->coverage, 1.0);
        QCOMPARE(*summary.metrics.at("pcie_rx").all.total, 40.0);
    }

    void anIteration() {
        FreshStore store;
        addSparse(store, gauge("gpu_power", 0));
        const auto gpus = gpuSeriesByRank({onlySeries(store)});
        const auto figures
            = got(iterationFigures(store, {{0, kFrom30To70, -1, false}}, gpus, {}, nullptr, false));
        QCOMPARE(*figures.at(0).energyJ, 2000.0);
        QCOMPARE(figures.at(0).energyCoverage, 1.0);
    }

    // Ten times 20 s; where one of seven is missing, ten times the second between most.
    void gapLimits() {
        FreshStore sparse;
        addSparse(sparse, gauge("gpu_power", 0));
        QCOMPARE(got(gapLimitOf(sparse, onlySeries(sparse))).ns, 200 * kRowNs);
        const Fixture other;
        auto dense = other.create();
        addSeries(dense, gauge("gpu_power", 0),
            {0, kRowNs, 2 * kRowNs, 3 * kRowNs, 4 * kRowNs, 5 * kRowNs, 6 * kRowNs},
            {1, 1, 1, test::kMissing, 1, 1, 1});
        QCOMPARE(got(gapLimitOf(dense, onlySeries(dense))).ns, 10 * kRowNs);
    }

    // Each moment thrice: the median distance of the samples is 0, but a period is the second
    // between the moments. From 0.5 s to 2.5 s at 100 W.
    void repeatedMoments() {
        FreshStore store;
        std::vector<std::int64_t> at;
        for (int i = 0; i < 12; ++i)
            at.push_back(i / 3 * kRowNs);
        addSeries(store, gauge("gpu_power", 0), at, std::vector<double>(at.size(), 100.0));
        const TimeRange window{{kRowNs / 2}, {5 * kRowNs / 2}};
        const auto summary = got(summarise({store, got(store.findRun("run"))}, window));
        QCOMPARE(summary.energy->joules, 200.0);
        QCOMPARE(summary.energy->coverage, 1.0);
    }
};

TRAINSCOPE_TEST(tst_EnergyIntegral)
#include "tst_EnergyIntegral.moc"
