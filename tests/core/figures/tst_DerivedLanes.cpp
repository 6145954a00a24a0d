// Derived lanes of planted runs: which series they have, their units, values and words.

#include "core/analysis/traces/PlantedRun.h"
#include "core/figures/Figure.h"
#include "core/figures/Kinds.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/figures/timeline/DerivedLane.h"
#include "core/figures/timeline/LaneLoad.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Metric.h"
#include "core/plot/timeline/LanePrepare.h"
#include "core/plot/timeline/Timeline.h"
#include "core/plot/timeline/TraceClock.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

#include <ctime>

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;
using namespace std::string_literals;

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

Series seriesOf(const char* metric, SubjectKind kind) {
    Series series;
    series.description.metric = *findMetric(metric);
    series.description.subject.kind = kind;
    if (kind == SubjectKind::Gpu)
        series.description.subject.rank = 0;
    series.count = 10;
    return series;
}

plot::Catalogue catalogueOf(std::vector<Series> series) {
    plot::Catalogue catalogue;
    catalogue.runs.emplace_back();
    catalogue.runs.back().series = std::move(series);
    return catalogue;
}

bool hasLane(const plot::Arrangement& arrangement, const char* metric) {
    return std::any_of(arrangement.lanes.begin(), arrangement.lanes.end(),
        [metric](const plot::LaneSpec& lane) { return lane.metric == metric; });
}

Bucket valueAt(float value) {
    return {value, value, value, value, value, 1, false};
}

Bucket heldFrom(float value) {
    return {value, value, value, value, value, 0, false};
}

Series powerOf(std::int64_t id, int rank, std::int64_t count, std::int64_t missing) {
    Series series;
    series.id = {id};
    series.description.metric = *findMetric(metric::kGpuPower);
    series.description.subject = {SubjectKind::Gpu, rank, -1, {}};
    series.count = count;
    series.missing = missing;
    return series;
}

std::vector<std::int64_t> idsOf(const plot::Catalogue& catalogue) {
    plot::LaneSpec lane;
    lane.metric = metric::kGpuPower;
    std::vector<std::int64_t> ids;
    for (const SelectedSeries& one : selectSeries(catalogue, lane))
        ids.push_back(one.series->id.value);
    return ids;
}

constexpr TimeNs kLaneStart{1'700'000'000'000'000'000};

DurationNs laneSeconds(std::int64_t count) {
    return {count * 1'000'000'000};
}

Run measuredRun(std::int64_t beginS, std::int64_t endS) {
    Run run;
    run.kind = RunKind::Measured;
    run.range = {kLaneStart + laneSeconds(beginS), kLaneStart + laneSeconds(endS)};
    return run;
}

Series gpuSeries(const char* metric, int rank) {
    Series series;
    series.description.metric = *findMetric(metric);
    series.description.subject = {SubjectKind::Gpu, rank, 0, {}};
    series.count = 10;
    return series;
}

// Each of those metrics of each GPU.
Catalogue gpuRun(int gpus, const std::vector<const char*>& metrics) {
    Catalogue catalogue;
    auto& run = catalogue.runs.emplace_back();
    for (const char* metric : metrics) {
        for (int rank = 0; rank < gpus; ++rank)
            run.series.push_back(gpuSeries(metric, rank));
    }
    return catalogue;
}

Track trackOf(TrackKind kind, int rank) {
    Track track;
    track.description.kind = kind;
    track.description.rank = rank;
    track.count = 5;
    return track;
}

std::vector<std::string> metricsOf(const Arrangement& arrangement) {
    std::vector<std::string> all;
    for (const auto& lane : arrangement.lanes)
        all.push_back(!lane.metric.empty()         ? lane.metric
                : lane.style == LaneStyle::Kernels ? "kernels"
                                                   : "threads");
    return all;
}

constexpr std::int64_t kHour = 3'600'000'000'000;

// Rank 1 is an hour ahead and gains 50 µs a second.
void plant(test::PlantedRun& planted) {
    planted.clocks[1] = {kHour, 50.0};
    for (std::int64_t i = 0; i < 40; ++i) {
        const std::int64_t at = i * 50'000'000 + i * i * 10'000;
        planted.addCollective({0, 1}, {at, at + 1'000'000}, 2'000'000,
            test::collectiveDetail("allreduce", 8, "0", {0, 1}), [] { return 0; });
    }
}

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
        VERIFY_SAYS(csv, "lines,Node power = sum(gpu_power),eager,,0,,");
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

    // Lanes of a training log: by default, in the menu, and as slopes with points.
    void byDefault() {
        const auto arrangement
            = defaultArrangement(catalogueOf({seriesOf("gpu_power", SubjectKind::Gpu),
                seriesOf("loss", SubjectKind::Run), seriesOf("token_rate", SubjectKind::Run),
                seriesOf("grad_norm", SubjectKind::Run)}));
        QVERIFY(hasLane(arrangement, "gpu_power"));
        QVERIFY(hasLane(arrangement, "loss"));
        QVERIFY(hasLane(arrangement, "token_rate"));
        QVERIFY(!hasLane(arrangement, "grad_norm"));
        // Without tokens the samples, without samples what was reported.
        QVERIFY(
            hasLane(defaultArrangement(catalogueOf({seriesOf("reported_flops", SubjectKind::Run)})),
                "reported_flops"));
        // Metrics that only nodes and switches have are power all the same.
        const auto ofNodes = defaultArrangement(catalogueOf(
            {seriesOf("node_power", SubjectKind::Node), seriesOf("loss", SubjectKind::Run),
                seriesOf("switch_power", SubjectKind::Switch)}));
        QVERIFY(hasLane(ofNodes, "node_power"));
        QVERIFY(hasLane(ofNodes, "switch_power"));
    }
    // Each metric once.
    void inTheList() {
        const auto choices = laneChoices(catalogueOf(
            {seriesOf("gpu_power", SubjectKind::Gpu), seriesOf("loss", SubjectKind::Run)}));
        std::vector<std::string> titles;
        for (const auto& choice : choices)
            titles.push_back(choice.title);
        QCOMPARE(titles, (std::vector<std::string>{"GPU power", "Loss"}));
    }
    // From 2 in the first column to 4 in the fifth, and held behind it.
    void slopes() {
        plot::LaneData lane;
        lane.spec.style = plot::LaneStyle::Lines;
        plot::LanePreparation preparation(
            lane, plot::LaneStyle::Lines, 6, 1, plot::LoadDetail::Drawn);
        plot::LaneSeries series;
        series.subject.kind = SubjectKind::Run;
        series.buckets
            = {valueAt(2), heldFrom(2), heldFrom(2), heldFrom(2), valueAt(4), heldFrom(4)};
        preparation.add(series);
        const plot::Trace& trace = lane.series.front().trace;
        for (std::size_t i = 1; i <= 4; ++i) {
            const float end = 2.0F + 0.5F * static_cast<float>(i);
            QCOMPARE(trace.high[i], end);
            QCOMPARE(trace.low[i], end - 0.5F);
        }
        QCOMPARE(trace.high[5], 4.0F);
        QCOMPARE(trace.low[5], 4.0F);
    }

    // Lanes of GPUs that two sources recorded: each GPU once.

    // Rank 0 has 9 values in the first series and 10 in the second; rank 1 has 10 in both, so the
    // first stands.
    void theOneWithMoreValues() {
        plot::Catalogue catalogue;
        catalogue.runs.emplace_back();
        catalogue.runs.back().series = {powerOf(1, 0, 20, 11), powerOf(2, 1, 10, 0),
            powerOf(3, 0, 10, 0), powerOf(4, 1, 10, 0)};
        QCOMPARE(idsOf(catalogue), (std::vector<std::int64_t>{3, 2}));
    }

    // The same ranks of two runs are no twins.
    void twoRuns() {
        plot::Catalogue catalogue;
        catalogue.runs.resize(2);
        catalogue.runs[0].series = {powerOf(1, 0, 10, 0)};
        catalogue.runs[1].series = {powerOf(2, 0, 20, 0)};
        QCOMPARE(idsOf(catalogue), (std::vector<std::int64_t>{1, 2}));
    }

    // Lanes of metrics that name states: rows by name, no numbers; and runs at their own times.

    // Two GPUs, reasons each second: 4, 4, 0, 0x24 and 0, 0, 4, 4; then both end.
    void aRowForEachReason() {
        PlantedTrace trace;
        trace.series(
            "throttle_reasons", 0, kLaneStart.ns, laneSeconds(1).ns, {4, 4, 0, 0x24, 0x24});
        trace.series("throttle_reasons", 1, kLaneStart.ns, laneSeconds(1).ns, {0, 0, 4, 4, 4});
        trace.gpus = {{0, 0, 0, {}, {}}, {1, 0, 1, {}, {}}};
        const auto database = trace.store();
        const RunId run = database.findRun("run").value().id;
        const std::vector<ShownRun> runs{{run, "r", kLaneStart, 0}};
        const auto catalogue = readCatalogue(database, runs).value();
        const auto choices = laneChoices(catalogue);
        const auto lane = std::find_if(choices.begin(), choices.end(),
            [](const auto& choice) { return choice.lane.metric == "throttle_reasons"; });
        QVERIFY(lane != choices.end());
        QCOMPARE(lane->title, std::string("Clock throttle reasons"));
        const auto data
            = loadTimeline(database, catalogue, runs, {{lane->lane}}, {{0}, laneSeconds(4)}, 4)
                  .value();
        const auto& states = data.lanes.front().states;
        QCOMPARE(states.size(), std::size_t{2}); // and no row for none
        const auto shares = [&states](const std::string& name) {
            const auto found = std::find_if(states.begin(), states.end(),
                [&name](const LaneState& state) { return state.name == name; });
            return found == states.end() ? std::vector<float>() : found->shares;
        };
        QCOMPARE(shares("Software power cap"), (std::vector<float>{0.5F, 0.5F, 0.5F, 1.0F}));
        QCOMPARE(shares("Software thermal slowdown"), (std::vector<float>{0, 0, 0, 0.5F}));
        const auto choicesOfFigures = figureMetrics(database, {});
        QVERIFY(choicesOfFigures.hasValue() && choicesOfFigures.value().empty());
        QVERIFY(!checkStatistic(FigureStatistic::Mean, "throttle_reasons").hasValue());
    }

    void aLossHasNoMean() {
        QVERIFY(usualStatistic("loss") == FigureStatistic::Last);
        QVERIFY(!checkStatistic(FigureStatistic::Mean, "loss").hasValue());
        QVERIFY(checkStatistic(FigureStatistic::First, "loss").hasValue());
        QVERIFY(!checkStatistic(FigureStatistic::First, "gpu_power").hasValue());
    }

    void runsThatOverlapInTime() {
        QVERIFY(!overlapInTime({measuredRun(0, 10)}));
        QVERIFY(overlapInTime({measuredRun(0, 10), measuredRun(9, 20)}));
        QVERIFY(!overlapInTime({measuredRun(0, 10), measuredRun(10, 20)}));
        // The first holds the others together.
        QVERIFY(overlapInTime({measuredRun(30, 40), measuredRun(0, 100), measuredRun(50, 60)}));
        QVERIFY(!overlapInTime({measuredRun(0, 10), measuredRun(5, 12), measuredRun(90, 95)}));
        Run predicted = measuredRun(0, 10);
        predicted.kind = RunKind::Predicted;
        QVERIFY(!overlapInTime({measuredRun(0, 10), predicted}));
    }

    // The lanes that suit what runs have: temperatures by their number, kinds, what is missing,
    // presets.
    void oneGpusTemperatureIsALine() {
        const auto style = [](int gpus) {
            return defaultArrangement(gpuRun(gpus, {"gpu_temperature"})).lanes.front().style;
        };
        QVERIFY(style(1) == LaneStyle::Lines);
        QVERIFY(style(2) == LaneStyle::Heat);
        QVERIFY(style(8) == LaneStyle::Heat);
        // Two runs of one GPU each are two lines.
        Catalogue two = gpuRun(1, {"gpu_temperature"});
        two.runs.push_back(two.runs.front());
        QVERIFY(defaultArrangement(two).lanes.front().style == LaneStyle::Lines);
    }
    // A GPU that two sources recorded is one.
    void theReasonIsTheNumber() {
        Catalogue twins = gpuRun(1, {"gpu_temperature", "gpu_temperature"});
        QCOMPARE(defaultStyle(twins, "gpu_temperature").of, std::string("1 GPU"));
        QVERIFY(defaultStyle(twins, "gpu_temperature").style == LaneStyle::Lines);
        const auto eight = gpuRun(8, {"gpu_temperature", "gpu_power"});
        QCOMPARE(defaultStyle(eight, "gpu_temperature").of, std::string("8 GPUs"));
        QVERIFY(defaultStyle(eight, "gpu_temperature").style == LaneStyle::Heat);
        QVERIFY(defaultStyle(eight, "gpu_power").style == LaneStyle::Lines);
        QVERIFY(defaultStyle(eight, "sm_clock").of.empty());
    }
    void kinds() {
        const auto choices = laneChoices(gpuRun(1,
            {"gpu_power", "gpu_energy", "gpu_temperature", "fan_speed", "sm_clock",
                "throttle_reasons", "gpu_utilization", "tensor_active", "mem_used",
                "torch_mem_allocated", "nvlink_rx", "pcie_rx_rate", "cpu_utilization", "xid"}));
        std::vector<std::string> told;
        for (const auto& choice : choices)
            told.push_back(choice.lane.metric + " " + std::string(nameOf(choice.group)));
        std::sort(told.begin(), told.end());
        QCOMPARE(told,
            (std::vector<std::string>{"cpu_utilization Host", "fan_speed Heat", "gpu_energy Power",
                "gpu_power Power", "gpu_temperature Heat", "gpu_utilization Utilisation",
                "mem_used Memory", "nvlink_rx Links", "pcie_rx_rate Links", "sm_clock Clocks",
                "tensor_active Utilisation", "throttle_reasons Clocks",
                "torch_mem_allocated Memory", "xid Other"}));
    }
    void everyMetricIsThereOrMissing() {
        const auto catalogue = gpuRun(2, {"gpu_power", "sm_clock"});
        const auto missing = missingLanes(catalogue);
        // And kernels and threads.
        QCOMPARE(missing.size(), metricRegistry().size() - 2 + 2);
        QVERIFY(std::none_of(missing.begin(), missing.end(),
            [](const auto& choice) { return choice.lane.metric == "sm_clock"; }));
        // Two metrics of both GPUs together, and of each.
        QCOMPARE(laneChoices(catalogue).size(), std::size_t{2 + 4});
        QCOMPARE(laneChoices(gpuRun(1, {"gpu_power"})).size(), std::size_t{1});
    }
    void presets() {
        Catalogue run = gpuRun(1,
            {"gpu_power_average", "gpu_power", "gpu_temperature", "sm_clock", "pcie_rx_rate",
                "cpu_utilization"});
        const auto presetsOf = [&run] {
            std::vector<std::vector<std::string>> all;
            for (const auto& preset : lanePresets(run))
                all.push_back(metricsOf(preset.arrangement));
            return all;
        };
        using Lanes = std::vector<std::string>;
        QCOMPARE(presetsOf(),
            (std::vector<Lanes>{{"gpu_power", "gpu_temperature", "sm_clock"}, {"pcie_rx_rate"},
                {"cpu_utilization"}, {}}));
        run = {};
        run.runs.emplace_back();
        run.runs.back().tracks = {trackOf(TrackKind::Stream, 0), trackOf(TrackKind::Thread, 0)};
        QCOMPARE(presetsOf(),
            (std::vector<Lanes>{{}, {"kernels"}, {"threads"}, {"threads", "kernels"}}));
        // Room for two ranks at least, and for each of more.
        const auto heightOf = [&run] { return lanePresets(run)[1].arrangement.lanes[0].height; };
        QCOMPARE(heightOf(), 44.0 + 2.0 * 20.0);
        for (int rank = 1; rank < 4; ++rank)
            run.runs.back().tracks.push_back(trackOf(TrackKind::Stream, rank));
        QCOMPARE(heightOf(), 44.0 + 4.0 * 20.0);
    }

    // Traces of ranks whose clocks differ, drawn on one: what is drawn lies where it was in truth.

    void withoutClocksTimesStay() {
        const ShownRun run;
        QCOMPARE(shownTime(run, 3, {42}).ns, 42);
        QCOMPARE(ownTime(run, 3, {42}).ns, 42);
    }

    void spansAreDrawnOnOneClock() {
        test::PlantedRun planted;
        plant(planted);
        const auto store = planted.stored();
        const Run stored = store.findRun("planted").value();
        ShownRun run{stored.id, stored.name, stored.range.begin, 0};
        const auto catalogue = readCatalogue(store, {run}).value();
        QVERIFY(extentOf(catalogue.runs[0], run)->length().ns > kHour);
        run.clocks = std::make_shared<const analysis::RankClocks>(
            analysis::alignRanks({store, stored}).value());
        const auto extent = extentOf(catalogue.runs[0], run);
        QVERIFY(extent->length().ns < 3'000'000'000);
        QVERIFY(std::abs(extent->begin.ns - test::kEpoch) < 2000);

        // The window of the last collective, of both ranks.
        const std::int64_t last = 39 * 50'000'000LL + 39 * 39 * 10'000LL;
        run.origin = {test::kEpoch};
        const Arrangement lanes{{{LaneStyle::Kernels, {}, std::nullopt, 100.0}}};
        const auto data = loadTimeline(
            store, catalogue, {run}, lanes, {{last - 500'000}, {last + 4'000'000}}, 1000)
                              .value();
        const auto& tracks = data.lanes.front().spans;
        QCOMPARE(tracks.size(), std::size_t{2});
        for (const LaneSpans& track : tracks) {
            QCOMPARE(track.spans.size(), std::size_t{1});
            const std::int64_t start = last + (track.rank == 0 ? 0 : 1'000'000);
            QVERIFY(std::abs(track.spans[0].range.begin.ns - test::kEpoch - start) < 2000);
            QVERIFY(std::abs(track.spans[0].range.end.ns - test::kEpoch - last - 3'000'000) < 2000);
            const TimeNs own = ownTime(run, track.rank, track.spans[0].range.begin);
            QVERIFY(std::abs(own.ns - planted.local(track.rank, start)) < 2000);
        }
    }

    // 1,700,000,000 s are 2023-11-14 22:13:20 UTC, which is 03:43:20 on the 15th five and a half
    // hours further east.
    void theAxisInTheZoneOfTheReader_data() {
        // minute: the first tick's
        const auto row = test::columns<std::string, std::string>("axis", "minute");
        row("utc", "utc", "22:15");
        row("local", "local", "03:45");
    }
    void theAxisInTheZoneOfTheReader() {
        QFETCH(std::string, axis);
        QFETCH(std::string, minute);
        const QByteArray zone = qgetenv("TZ");
        qputenv("TZ", "EAST-05:30");
        tzset();
        const auto restored = qScopeGuard([&zone] {
            zone.isEmpty() ? qunsetenv("TZ") : qputenv("TZ", zone);
            tzset();
        });
        test::PlantedRun planted;
        plant(planted);
        const auto store = planted.stored();
        Request request;
        request.runs = {store.findRun("planted").value()};
        request.options.add("axis", axis);
        request.style.theme = &plot::paperTheme();
        request.style.width = 800.0;
        request.style.measure = test::fixedPitch;
        const auto figure = load(*findKind("timeline"), store, request).value();
        std::string texts;
        for (const Label& label : itemsOf<Label>(figure.draw(request.style).scene))
            texts += label.text + '\n';
        VERIFY_SAYS(texts, minute);
    }
};

TRAINSCOPE_TEST(tst_DerivedLanes)
#include "tst_DerivedLanes.moc"
