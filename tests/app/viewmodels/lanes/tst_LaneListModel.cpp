// The models of the timeline keep Qt's rules for models.
#include "app/viewmodels/lanes/LaneListModel.h"
#include "app/viewmodels/timeline/MarkListModel.h"
#include "app/viewmodels/workspace/FactListModel.h"
#include "support/TestProgram.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace trainscope;
using app::LaneListModel;
using app::LaneRow;

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
    void marksAreClippedToTheAxis() {
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
        model.setMarks({{"run", {{1050}, {1150}}, QStringLiteral("m")}});
        model.layOut();
        QCOMPARE(model.at(0, "markX").toDouble(), 60.0);
        QCOMPARE(model.at(0, "markWidth").toDouble(), 50.0);
        context.runs = {{RunId{1}, "other", TimeNs{1000}, 0}};
        model.layOut();
        QVERIFY(!model.at(0, "markVisible").toBool());
        model.remove(0);
        QCOMPARE(model.rowCount(), 0);
    }
};

TRAINSCOPE_TEST(tst_LaneListModel)
#include "tst_LaneListModel.moc"
