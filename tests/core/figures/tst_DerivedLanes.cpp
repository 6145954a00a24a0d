// Derived lanes of planted runs: which series they have, their units, values and words.
#include "core/figures/support/SweepDatabase.h"

#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "support/TestProgram.h"

#include <QTest>

#include <cmath>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::test;

namespace {

// Two nodes of two GPUs; 400, 300, 200 and 100 W by rank, at half of their utilisation.
SweepRun fourGpus(const char* name) {
    SweepRun run;
    run.name = name;
    run.gpus = 4;
    run.perNode = 2;
    for (int rank = 0; rank < 4; ++rank) {
        const double watts = 400.0 - 100.0 * rank;
        run.series.push_back({"gpu_power", rank, {watts, watts + 50.0, watts, watts}});
        run.series.push_back({"gpu_utilization", rank, {0.5, 0.5, 0.0, 0.5}});
        run.series.push_back({"pcie_rx", rank, {0.0, 1000.0, 3000.0, 3000.0}});
    }
    return run;
}

struct PlantedRuns {
    SweepDatabase database;
    std::vector<plot::ShownRun> runs;
    plot::Catalogue catalogue;

    explicit PlantedRuns(int count) {
        for (int i = 0; i < count; ++i) {
            const std::string name = i == 0 ? "eager" : "compiled";
            SweepRun run = fourGpus(name.c_str());
            if (i > 0) {
                for (auto& series : run.series) {
                    if (series.metric == "gpu_power")
                        std::transform(series.values.begin(), series.values.end(),
                            series.values.begin(), [](double watts) { return watts - 60.0; });
                }
            }
            database.add(run);
            runs.push_back(
                {database.idOf(name), name, {test::kBegin}, static_cast<std::size_t>(i)});
        }
        catalogue = readCatalogue(database.store(), runs).value();
    }
    [[nodiscard]] Result<DerivedSet> resolved(const char* formula, std::optional<int> rank = {}) {
        plot::LaneSpec lane;
        lane.metric = formula;
        lane.rank = rank;
        return resolveDerived(lane, catalogue, runs);
    }
    // At so many milliseconds of the run.
    double valueAt(const DerivedSet& set, std::size_t series, std::int64_t ms) {
        const DerivedSeries& one = set.series[series];
        return analysis::stepAt(
            database.store(), one.program, runs[one.run].origin + DurationNs{ms * 1'000'000})
            .value();
    }
};

} // namespace

class tst_DerivedLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsByNodeAndRun() {
        PlantedRuns planted(1);
        const auto nodes = planted.resolved("=sum(gpu_power)").value();
        QCOMPARE(nodes.unit, std::string("W"));
        QCOMPARE(nodes.series.size(), std::size_t{2});
        QCOMPARE(nodes.series[1].label, std::string("node 1 · sum of 2"));
        QCOMPARE(planted.valueAt(nodes, 0, 500), 700.0);
        QCOMPARE(planted.valueAt(nodes, 1, 1500), 400.0);
        const auto run = planted.resolved("=total(gpu_power)").value();
        QCOMPARE(run.series.size(), std::size_t{1});
        QCOMPARE(planted.valueAt(run, 0, 500), 1000.0);
    }
    // A percentage is counted in percent: 400 W at 50 % are 8 W/%, and at 0 % nothing.
    void ratioPerUtilisation() {
        PlantedRuns planted(1);
        const auto ratio = planted.resolved("=gpu_power / gpu_utilization").value();
        QCOMPARE(ratio.unit, std::string("W/%"));
        QCOMPARE(ratio.series.size(), std::size_t{4});
        QCOMPARE(planted.valueAt(ratio, 0, 500), 8.0);
        QVERIFY(std::isnan(planted.valueAt(ratio, 0, 2500)));
        QCOMPARE(planted.resolved("=gpu_power / gpu_utilization", 2).value().series.size(),
            std::size_t{1});
    }
    // A share of its node: 400 of 700 W.
    void finerByCoarser() {
        PlantedRuns planted(1);
        const auto share = planted.resolved("=gpu_power / sum(gpu_power)").value();
        QCOMPARE(share.unit, std::string("1"));
        QCOMPARE(share.series.size(), std::size_t{4});
        QCOMPARE(planted.valueAt(share, 0, 500), 400.0 / 700.0);
        QCOMPARE(planted.valueAt(share, 3, 500), 100.0 / 300.0);
    }
    void countersAndRates() {
        PlantedRuns planted(1);
        const auto rate = planted.resolved("=sum(pcie_rx)").value();
        QCOMPARE(rate.unit, std::string("B/s"));
        QCOMPARE(planted.valueAt(rate, 0, 500), 2000.0); // 1000 B/s of each
        QCOMPARE(planted.valueAt(rate, 0, 1500), 4000.0);
        const auto slope = planted.resolved("=rate(gpu_power)", 0).value();
        QCOMPARE(slope.unit, std::string("W/s"));
        QCOMPARE(planted.valueAt(slope, 0, 500), 50.0);
        QCOMPARE(planted.valueAt(slope, 0, 1500), -50.0);
    }
    // The second run begins a second later on the axis, so its first second meets nothing.
    void runMinusRun() {
        PlantedRuns planted(2);
        const auto same = planted.resolved("=gpu_power@1 - gpu_power@2").value();
        QCOMPARE(same.series.size(), std::size_t{4});
        QCOMPARE(same.title, std::string("GPU power: eager − compiled"));
        QCOMPARE(planted.valueAt(same, 2, 500), 60.0);
        planted.runs[1].origin = planted.runs[1].origin - DurationNs{kSecond};
        const auto moved = planted.resolved("=gpu_power@1 - gpu_power@2").value();
        QVERIFY(std::isnan(planted.valueAt(moved, 0, 500)));
        // 450 W of the first against 340 W of the other's first second.
        QCOMPARE(planted.valueAt(moved, 0, 1500), 110.0);
    }
    void twoGpus() {
        PlantedRuns planted(1);
        const auto difference = planted.resolved("=gpu_power[0] - gpu_power[3]").value();
        QCOMPARE(difference.series.size(), std::size_t{1});
        QCOMPARE(planted.valueAt(difference, 0, 500), 300.0);
    }
    void refusals() {
        PlantedRuns planted(1);
        const auto messageOf = [&planted](const char* formula) {
            const auto set = planted.resolved(formula);
            return QString::fromStdString(set.hasValue() ? std::string() : set.error().message);
        };
        QCOMPARE(messageOf("=gpu_power - gpu_utilization"),
            QStringLiteral("Values in % cannot be subtracted from values in W; choose two lanes of "
                           "one unit, or their ratio."));
        QCOMPARE(messageOf("=gpu_power - sm_clock"),
            QStringLiteral("This run has no sm_clock, of which this lane is made."));
        QCOMPARE(messageOf("=gpu_power@2 - gpu_power@1"),
            QStringLiteral("The formula is of run 2, and one run is shown."));
        QVERIFY(!messageOf("=rate(gpu_power / gpu_utilization)").isEmpty());
        QVERIFY(!messageOf("=rate(rate(gpu_power))").isEmpty());
    }
    void asALane() {
        PlantedRuns planted(1);
        plot::Arrangement arrangement;
        arrangement.lanes.resize(2);
        arrangement.lanes[0].metric = "Node power = sum(gpu_power)";
        arrangement.lanes[1].metric = "=sum(nothing)";
        const auto data = loadTimeline(planted.database.store(), planted.catalogue, planted.runs,
            arrangement, {{0}, {4 * kSecond}}, 4, {}, plot::LoadDetail::Whole)
                              .value();
        const plot::LaneData& lane = data.lanes[0];
        QCOMPARE(lane.title, std::string("Node power"));
        QCOMPARE(lane.subtitle, std::string("W, 2 nodes, coloured by node"));
        QCOMPARE(lane.series.size(), std::size_t{2});
        QCOMPARE(lane.series[0].buckets[1].mean, 800.0F);
        QVERIFY(lane.high >= 800.0 && lane.low <= 300.0);
        QVERIFY(!lane.isComing);
        QCOMPARE(data.lanes[1].subtitle,
            std::string("This run has no nothing, of which this lane is made."));
        // Its numbers as CSV.
        const std::string csv = plot::timelineCsv(data);
        QVERIFY(csv.find("lines,Node power = sum(gpu_power),eager,,0,,") != std::string::npos);
    }
    void figuresAndReadouts() {
        PlantedRuns planted(1);
        const auto set = planted.resolved("=sum(gpu_power)").value();
        const auto& store = planted.database.store();
        QCOMPARE(*derivedAt(store, set, 0, 3, 1, {test::kBegin}).value(), 300.0);
        // Node 0 has 700, 800 and 700 W, node 1 400 W less.
        const auto figures
            = derivedFigures(store, set, 0, {{test::kBegin}, {test::kBegin + 3 * kSecond}}, {})
                  .value();
        QCOMPARE(*figures.mean, (2200.0 / 3.0 + 1000.0 / 3.0) / 2.0);
        QCOMPARE(*figures.min, 300.0);
        QCOMPARE(*figures.max, 800.0);
    }
};

TRAINSCOPE_TEST(tst_DerivedLanes)
#include "tst_DerivedLanes.moc"
