// State that stays, and state that changes, when other runs are shown or the same ones lie
// otherwise.

#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "support/TestProgram.h"

using test::kSecondNs;
using test::seconds;

class tst_TimelineScope : public QObject, test::OpenDatabase {
    Q_OBJECT

private:
    QTemporaryDir m_other;
    std::unique_ptr<app::TimelineController> m_controller;

    [[nodiscard]] const app::TimelineContext& context() const { return m_controller->context(); }
    void show(const std::vector<std::string>& names) {
        std::vector<RunId> ids;
        for (const auto& run : m_workspace->runs()) {
            if (std::find(names.begin(), names.end(), run.name) != names.end())
                ids.push_back(run.id);
        }
        m_workspace->setShown(ids);
        QTRY_COMPARE(context().runs.size(), ids.size());
        QTRY_COMPARE(context().runs.front().id, ids.front());
    }
    void select(double begin, double end) {
        m_controller->selection()->set(plot::ViewWindow{seconds(begin), seconds(end)});
    }
    [[nodiscard]] QString figures() const { return m_controller->inspector()->selection()->text(); }

private Q_SLOTS:
    void initTestCase() { QVERIFY(make(&test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(openWorkspace());
        m_controller = std::make_unique<app::TimelineController>();
        m_controller->setViewSize(1160, 700, 1.0);
        m_controller->setWorkspace(m_workspace.get());
        show({"small"});
    }
    void cleanup() {
        m_controller.reset();
        close();
    }

    // From 1 to 2 s "small" draws 100 + 15 W, "later" 200 W.
    void aSelectionHasTheFiguresOfTheShownRun() {
        select(1, 2);
        QTRY_VERIFY(figures().contains(QStringLiteral("115 J")));
        show({"later"});
        QTRY_VERIFY(figures().contains(QStringLiteral("200 J")));
        QVERIFY(!figures().contains(QStringLiteral("115 J")));
    }
    // "later" is the first and keeps its place. Its iteration 6 begins after 2 s, that of "small"
    // after 3 s: the second that is selected is then the second one of "small", with 115 J.
    void aSelectionHasTheFiguresOfTheAlignment() {
        show({"later", "small"});
        select(0, 1);
        QTRY_VERIFY(figures().contains(QStringLiteral("105 J")));
        m_controller->alignment()->alignByIteration(6);
        QCOMPARE(context().selection->begin, seconds(-2));
        QTRY_VERIFY(figures().contains(QStringLiteral("115 J")));
        QVERIFY(figures().contains(QStringLiteral("200 J")));
    }
    // Reading the runs again, as after an import or an edit, moves nothing.
    void anAlignedSelectionStaysWhereItIs() {
        show({"small", "later"});
        m_controller->alignment()->alignByIteration(6);
        m_controller->navigation()->setWindow({seconds(-1), seconds(2)});
        select(0, 1);
        const TimeNs origin = context().runs.front().origin;
        QSignalSpy taken(m_controller.get(), &app::TimelineController::catalogueChanged);
        QVERIFY(test::reloads(*m_workspace));
        QTRY_VERIFY(!taken.isEmpty());
        QCOMPARE(context().runs.front().origin, origin);
        QCOMPARE(context().selection->begin, seconds(0));
        QCOMPARE(context().window.window().begin, seconds(-1));
        show({"small"});
        QCOMPARE(context().selection->begin, seconds(0));
    }
    // Going back in the view goes to the same times of the run.
    void theWayBackIsAligned() {
        m_controller->navigation()->setWindow({seconds(4), seconds(5)});
        m_controller->navigation()->setWindow({seconds(6), seconds(7)});
        m_controller->alignment()->alignByIteration(6);
        m_controller->navigation()->undo();
        QCOMPARE(context().window.window().begin, seconds(1));
    }
    void aRunWithoutTheIterationIsToldOf() {
        show({"small", "later"});
        m_controller->alignment()->alignByIteration(6);
        QCOMPARE(m_controller->alignment()->title(), QStringLiteral("Aligned by iteration 6"));
        m_controller->alignment()->alignByIteration(5); // "later" has none
        QCOMPARE(m_controller->alignment()->title(),
            QStringLiteral("Aligned by iteration 5, 1 run by start"));
    }
    // "later" begins 100 s after "small": in UTC both stand at their own times, whatever was
    // chosen, and who aligns otherwise reads no wrong ones.
    void timesOfTheClockAreTheRuns() {
        show({"small", "later"});
        QCOMPARE(m_controller->alignment()->title(), QStringLiteral("Aligned by start"));
        m_controller->navigation()->setTimeDisplay(static_cast<int>(plot::TimeDisplay::Utc));
        QCOMPARE(m_controller->alignment()->title(), QStringLiteral("Aligned by clock"));
        // The sample at 22:13:20 + 102 s of either run.
        for (const auto& run : context().runs) {
            const DurationNs at = test::kStart + seconds(102) - run.origin;
            QCOMPARE(plot::timeText(at, DurationNs{kSecondNs}, context().wording()),
                std::string("22:15:02 UTC"));
        }
        QCOMPARE(context().window.limits().end, seconds(105) + DurationNs{1});
        m_controller->alignment()->alignByStart();
        QVERIFY(context().display == plot::TimeDisplay::Relative);
        QCOMPARE(context().window.limits().end, seconds(10) + DurationNs{1});
        m_controller->navigation()->setTimeDisplay(static_cast<int>(plot::TimeDisplay::Local));
        QVERIFY(m_controller->alignment()->byClock());
        QVERIFY(m_controller->alignment()->moveRun(1, QStringLiteral("-50")));
        QVERIFY(context().display == plot::TimeDisplay::Relative);
        QCOMPARE(
            m_controller->alignment()->title(), QStringLiteral("Aligned by clock, moved by hand"));
        m_controller->navigation()->setTimeDisplay(static_cast<int>(plot::TimeDisplay::Utc));
        QCOMPARE(m_controller->alignment()->title(), QStringLiteral("Aligned by clock"));
        // One run alone is at its own time however it lies.
        show({"small"});
        QVERIFY(context().display == plot::TimeDisplay::Utc);
    }
    // Runs of another database have the same numbers.
    void offsetsAreOfTheirDatabase() {
        QVERIFY(m_controller->alignment()->moveRun(0, QStringLiteral("1.5")));
        const std::string before = context().catalogue->uuid;
        const auto other = test::writeTimelineDatabase(m_other.path().toStdString());
        QVERIFY(test::opens(*m_workspace, other));
        QTRY_VERIFY(context().catalogue->uuid != before);
        QCOMPARE(m_controller->alignment()->title(), QStringLiteral("Aligned by start"));
        show({"small"});
        QCOMPARE(context().runs.front().origin, context().catalogue->runs.front().range.begin);
    }
    // "later" has no PCIe.
    void ownLanesComeBackWithTheirRuns() {
        for (int lane = static_cast<int>(context().arrangement.lanes.size()) - 1; lane >= 0; --lane)
            m_controller->lanes()->remove(lane);
        m_controller->lanes()->find({plot::LaneStyle::Lines, "pcie_rx", {}, 100.0});
        const auto own = context().arrangement;
        QCOMPARE(own.lanes.size(), std::size_t{1});
        show({"later"});
        QTRY_VERIFY(context().arrangement != own);
        show({"small"});
        QTRY_VERIFY(context().arrangement == own);
    }
    void theCurrentLaneStaysTheSame() {
        const auto lanes = context().arrangement.lanes;
        QVERIFY(lanes.size() > 2);
        m_controller->lanes()->setCurrent(2);
        m_controller->lanes()->remove(0);
        QCOMPARE(m_controller->lanes()->current(), 1);
        QVERIFY(context().arrangement.lanes[1] == lanes[2]);
    }
    // The edge that is not moved may lie outside of the view.
    void anEdgeMovesAlone() {
        select(2, 8);
        m_controller->navigation()->setWindow({seconds(7), seconds(9)});
        m_controller->selection()->moveEdge(1, context().axis.toX(seconds(8.5)));
        QCOMPARE(context().selection->begin, seconds(2));
        QVERIFY(std::abs(context().selection->end.ns - 8 * kSecondNs - kSecondNs / 2) < 1000);
    }
    // Ten milliseconds are a pixel, and 60 within reach.
    void theNearestMarkIsRemoved() {
        for (const double at : {5.0, 5.03}) {
            m_controller->cursor()->moveTo(seconds(at), std::nullopt);
            m_controller->marks()->mark();
        }
        m_controller->marks()->removeAtCursor();
        QCOMPARE(m_controller->marks()->marks().size(), std::size_t{1});
        QCOMPARE(m_controller->marks()->marks().front().range.begin, test::kStart + seconds(5));
    }
};

TRAINSCOPE_GUI_TEST(tst_TimelineScope)
#include "tst_TimelineScope.moc"
