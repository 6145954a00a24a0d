// Lanes of metrics that name states: rows by name, no numbers; and runs at their own times.
#include "core/figures/Figure.h"
#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Metric.h"
#include "core/plot/timeline/Timeline.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

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

} // namespace

class tst_StateLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Two GPUs, reasons each second: 4, 4, 0, 0x24 and 0, 0, 4, 4; then both end.
    void aRowForEachReason() {
        QTemporaryDir folder;
        auto opened = store::Store::openOrCreate(
            folder.filePath(QStringLiteral("s.trainscope")).toStdString());
        QVERIFY(opened.hasValue());
        store::Store& database = opened.value();
        const RunId run = write(database, {{4, 4, 0, 0x24, 0x24}, {0, 0, 4, 4, 4}});
        const std::vector<ShownRun> runs{{run, "r", kLaneStart, 0}};
        const auto catalogue = readCatalogue(database, runs);
        QVERIFY(catalogue.hasValue());
        const auto choices = laneChoices(catalogue.value());
        const auto lane = std::find_if(choices.begin(), choices.end(),
            [](const auto& choice) { return choice.lane.metric == "throttle_reasons"; });
        QVERIFY(lane != choices.end());
        QCOMPARE(lane->title, std::string("Clock throttle reasons"));
        const auto data = loadTimeline(
            database, catalogue.value(), runs, {{lane->lane}}, {{0}, laneSeconds(4)}, 4);
        QVERIFY(data.hasValue());
        const auto& states = data.value().lanes.front().states;
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

private:
    static RunId write(
        store::Store& database, const std::vector<std::vector<double>>& valuesByRank) {
        auto session = store::beginImport(database, {"/made/up", 1, "hash", "r"});
        Run run;
        run.name = "r";
        const RunId id = session.value()->run(run).value();
        int rank = 0;
        for (const auto& values : valuesByRank) {
            (void)session.value()->gpu(id, {rank, 0, rank, {}, {}});
            SeriesDescription description;
            description.metric = *findMetric("throttle_reasons");
            description.subject = {SubjectKind::Gpu, rank++, -1, {}};
            const auto series = session.value()->series(id, description);
            std::vector<TimeNs> times;
            for (std::size_t i = 0; i < values.size(); ++i)
                times.push_back(kLaneStart + laneSeconds(static_cast<std::int64_t>(i)));
            (void)session.value()->samples(series.value(), times, values);
        }
        (void)session.value()->finish({}, "hash", 1, {});
        return id;
    }
};

TRAINSCOPE_TEST(tst_StateLanes)
#include "tst_StateLanes.moc"
