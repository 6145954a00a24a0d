// The models of the timeline keep Qt's rules for models.

#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/timeline/MarkListModel.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "support/TestProgram.h"

using app::LaneListModel;
using app::LaneRow;
using plot::Arrangement;
using plot::LaneSpec;
using plot::LaneStyle;

namespace {

LaneRow row(const char* title) {
    LaneRow result;
    result.title = QString::fromLatin1(title);
    return result;
}

QString order(const LaneListModel& model) {
    QString titles;
    for (const auto& lane : model.rows())
        titles += lane.title;
    return titles;
}

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

LaneSpec lane(const char* metric, std::optional<int> rank = {}, double height = 100.0) {
    return {LaneStyle::Lines, metric, rank, height};
}

QStringList names(const Arrangement& arrangement) {
    QStringList result;
    for (const auto& spec : arrangement.lanes)
        result.append(QString::fromStdString(spec.metric)
            + (spec.rank ? QString::number(*spec.rank) : QString()));
    return result;
}

const Arrangement kThree{{lane("a"), lane("b"), lane("c")}};

} // namespace

class tst_LaneListModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void insertsAndRemovesOnlyWhatDiffers() {
        LaneListModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.setLanes({row("a"), row("b"), row("d")});
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setLanes({row("a"), row("b"), row("c"), row("d")});
        QCOMPARE(order(model), QStringLiteral("abcd"));
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(inserted.front().at(1).toInt(), 2);
        model.setLanes({row("a"), row("d")});
        QCOMPARE(order(model), QStringLiteral("ad"));
        QCOMPARE(removed.count(), 1);
        QCOMPARE(reset.count(), 0);
    }
    void movesBothWays() {
        LaneListModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.setLanes({row("a"), row("b"), row("c")});
        model.moveRow(0, 2);
        QCOMPARE(order(model), QStringLiteral("bca"));
        model.moveRow(2, 0);
        QCOMPARE(order(model), QStringLiteral("abc"));
        model.moveRow(0, 5);
        QCOMPARE(order(model), QStringLiteral("abc"));
    }
    void readoutsSurviveANewLayout() {
        LaneListModel model;
        model.setLanes({row("a")});
        model.setReadouts({QStringLiteral("688 W")});
        LaneRow moved = row("a");
        moved.y = 40.0;
        model.setLanes({moved});
        QCOMPARE(model.rows().front().readout, QStringLiteral("688 W"));
        QCOMPARE(model.rows().front().y, 40.0);
    }
    // The values of other lanes may be read before those are laid out.
    void readoutsWaitForTheirLanes() {
        LaneListModel model;
        model.setLanes({row("a"), row("b"), row("c")});
        model.setReadouts({QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("3")});
        model.setReadouts({QStringLiteral("1"), QStringLiteral("3")});
        QCOMPARE(model.rows()[1].readout, QStringLiteral("2"));
        model.setLanes({row("a"), row("c")});
        QCOMPARE(model.rows()[0].readout, QStringLiteral("1"));
        QCOMPARE(model.rows()[1].readout, QStringLiteral("3"));
        model.setReadouts({});
        QVERIFY(model.rows()[1].readout.isEmpty());
    }
    void hasNoChildren() {
        LaneListModel model;
        model.setLanes({row("a")});
        QCOMPARE(model.rowCount(model.index(0)), 0);
    }
    void factsChangeInPlace() {
        app::FactListModel model;
        const QAbstractItemModelTester tester(&model, kMode);
        model.setFacts({{QStringLiteral("Energy"), QStringLiteral("1 J")}});
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setFacts({{QStringLiteral("Energy"), QStringLiteral("2 J")}});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(model.text(), QStringLiteral("Energy\t2 J\n"));
        model.setFacts({});
        QCOMPARE(model.rowCount(), 0);
    }
    void marksHaveFlagsAndDistances() {
        app::TimelineContext context;
        app::TimelineNavigation navigation(context);
        const app::TimelineOverlays overlays;
        LaneListModel lanes;
        app::InspectorModel inspector;
        app::TimelineCursor cursor(context, overlays, lanes, inspector);
        app::MarkListModel model(context, navigation, cursor);
        const QAbstractItemModelTester tester(&model, kMode);
        context.axis = {10.0, 100.0, {{0}, {100}}};
        context.runs = {{RunId{1}, "run", TimeNs{1000}, 0}};
        model.setMarks({{"run", {{1050}, {1150}}, "m"}, {"run", {{1020}, {1020}}, "k"}});
        context.geometry = std::make_shared<plot::TimelineGeometry>(
            plot::TimelineGeometry{{}, {}, {}, {}, {}, {{1, {30.0, 4.0, 20.0, 10.0}}}});
        model.layOut();
        QVERIFY(model.at(0, "flagPlace").toRectF().isEmpty());
        QCOMPARE(model.at(1, "flagPlace").toRectF(), QRectF(30, 4, 20, 10));
        // k at 20, m at 50, the cursor at 40.
        context.cursor = DurationNs{40};
        model.tellDistances();
        QStringList told;
        for (const app::Fact& fact : model.distances()->facts())
            told.append(fact.label + u' ' + fact.value + u' ' + fact.note);
        QCOMPARE(told.size(), 4);
        QCOMPARE(told[1], QStringLiteral("to m 30 ns "));
        QCOMPARE(told[2], QStringLiteral("to the cursor 20 ns "));
        QVERIFY(told[3].startsWith(u'm') && told[3].endsWith(QStringLiteral("100 ns long")));
        model.remove(1);
        model.remove(0);
        QCOMPARE(model.rowCount(), 0);
    }

    // Changes of the arrangement.
    void moves() {
        QCOMPARE(names(app::withLaneMoved(kThree, 0, 2)), test::texts("b", "c", "a"));
        QCOMPARE(names(app::withLaneMoved(kThree, 2, 0)), test::texts("c", "a", "b"));
        QCOMPARE(names(app::withLaneMoved(kThree, 0, 9)), test::texts("a", "b", "c"));
    }
    void addsAndRemoves() {
        QCOMPARE(names(app::withLane(kThree, lane("d"), 1)), test::texts("a", "d", "b", "c"));
        QCOMPARE(names(app::withLane(kThree, lane("d"), 99)), test::texts("a", "b", "c", "d"));
        QCOMPARE(names(app::withoutLane(kThree, 1)), test::texts("a", "c"));
        QCOMPARE(names(app::withoutLane(kThree, 7)), test::texts("a", "b", "c"));
    }
    void heightsStayReadable() {
        QCOMPARE(app::withLaneHeight(kThree, 0, 200.0).lanes[0].height, 200.0);
        QCOMPARE(app::withLaneHeight(kThree, 0, 1.0).lanes[0].height, app::kLeastLaneHeight);
        QCOMPARE(app::withLaneHeight(kThree, 0, 1e9).lanes[0].height, app::kMostLaneHeight);
    }
    void kernelsHaveOneStyle() {
        QVERIFY(app::withLaneStyle(kThree, 0, LaneStyle::Heat).lanes[0].style == LaneStyle::Heat);
        QVERIFY(
            app::withLaneStyle(kThree, 0, LaneStyle::Kernels).lanes[0].style == LaneStyle::Lines);
        const Arrangement kernels{{{LaneStyle::Kernels, "", {}, 100.0}}};
        QVERIFY(app::withLaneStyle(kernels, 0, LaneStyle::Heat) == kernels);
    }
    void splitsAndMerges() {
        const Arrangement split = app::withLaneSplit(kThree, 1, {4, 5});
        QCOMPARE(names(split), test::texts("a", "b4", "b5", "c"));
        QCOMPARE(names(app::withLanesMerged(split, 2)), test::texts("a", "b", "c"));
        QVERIFY(app::withLaneSplit(kThree, 1, {4}) == kThree);
        QVERIFY(app::withLanesMerged(kThree, 1) == kThree);
    }
    void loadedDataFollowsTheArrangement() {
        plot::TimelineData data;
        for (const auto& spec : kThree.lanes) {
            plot::LaneData loaded;
            loaded.spec = spec;
            loaded.title = "loaded " + spec.metric;
            data.lanes.push_back(loaded);
        }
        app::rearrange(data, {{lane("c", {}, 50.0), lane("new"), lane("a")}});
        QCOMPARE(data.lanes.size(), std::size_t{3});
        QCOMPARE(data.lanes[0].title, std::string("loaded c"));
        QCOMPARE(data.lanes[0].spec.height, 50.0);
        QVERIFY(data.lanes[1].title.empty());
        QCOMPARE(data.lanes[2].title, std::string("loaded a"));
    }

    // The sentence about a lane that screen readers speak.

    // One of 65 GPUs draws 650 W and the others none: the band knows their median of 0 W, not their
    // mean of 10 W.
    void aBandHasItsMedian() {
        plot::LaneData lane;
        lane.spec.style = plot::LaneStyle::Band;
        lane.title = "GPU power";
        lane.unit = "W";
        lane.series.resize(65);
        plot::LaneBand band;
        band.range = {{0.0F, 0.0F}, {650.0F, 650.0F}};
        band.median = {{0.0F, 0.0F}, {0.0F, 0.0F}};
        lane.bands = {band};
        const plot::ViewWindow window{{0}, {10}};
        QCOMPARE(app::laneSummary(lane, window, window),
            QStringLiteral("GPU power, 65 series: 0 W to 650 W, median 0 W"));
    }
    void linesHaveTheirMean() {
        plot::LaneData lane;
        lane.title = "GPU power";
        lane.unit = "W";
        lane.series.resize(1);
        for (const float watts : {10.0F, 30.0F}) {
            Bucket bucket;
            bucket.min = bucket.max = bucket.mean = watts;
            lane.series[0].buckets.push_back(bucket);
        }
        const plot::ViewWindow window{{0}, {10}};
        QCOMPARE(app::laneSummary(lane, window, window),
            QStringLiteral("GPU power, 1 series: 10 W to 30 W, mean 20 W"));
    }
};

TRAINSCOPE_TEST(tst_LaneListModel)
#include "tst_LaneListModel.moc"
