// The energy of windows by counter and power, by hand.

#include "core/store/Fixture.h"

#include "core/analysis/statistics/MeasuredEnergy.h"
#include "support/TestProgram.h"

#include <QObject>

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kS = 1'000'000'000;

bool isNear(const std::optional<Energy>& energy, double joules) {
    return energy && std::abs(energy->joules - joules) < 1e-6 * joules;
}

// 100 W for 10 s, then 300 W for 10 s, as the counter counts it each 10 s, which shows 4 % less
// power than that.
struct Machine {
    Fixture fixture;
    Store store = fixture.create();

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

} // namespace

class tst_MeasuredEnergy : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            Fixture fixture;
            auto store = fixture.create();
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
        Fixture fixture;
        auto store = fixture.create();
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
};

TRAINSCOPE_TEST(tst_MeasuredEnergy)
#include "tst_MeasuredEnergy.moc"
