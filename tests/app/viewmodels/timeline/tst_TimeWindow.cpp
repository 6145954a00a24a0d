// The window's arithmetic, to the nanosecond. Undo and redo, and which steps count as one.

#include "app/viewmodels/timeline/TimelineContext.h"
#include "support/TestProgram.h"

using app::TimeWindow;
using app::ViewChange;
using app::ViewHistory;
using app::ViewState;
using plot::ViewWindow;

namespace {

TimeWindow windowOf(ViewWindow limits, ViewWindow window) {
    TimeWindow result;
    result.setLimits(limits);
    result.set(window);
    return result;
}

ViewState at(std::int64_t begin) {
    return {{{begin}, {begin + 10}}, {}};
}

} // namespace

Q_DECLARE_METATYPE(trainscope::plot::ViewWindow)

class tst_TimeWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void clamps_data() {
        QTest::addColumn<ViewWindow>("wanted");
        QTest::addColumn<ViewWindow>("got");
        const auto row = [](const char* name, ViewWindow wanted, ViewWindow got) {
            QTest::newRow(name) << wanted << got;
        };
        row("inside", {{100}, {300}}, {{100}, {300}});
        row("beyond the end keeps its length", {{900}, {1100}}, {{800}, {1000}});
        row("before the begin keeps its length", {{-50}, {50}}, {{0}, {100}});
        row("longer than everything", {{-500}, {5000}}, {{0}, {1000}});
        row("swapped", {{300}, {100}}, {{100}, {300}});
        row("too short grows around its middle", {{500}, {502}}, {{491}, {511}});
    }
    void clamps() {
        QFETCH(ViewWindow, wanted);
        QFETCH(ViewWindow, got);
        const ViewWindow window = windowOf({{0}, {1000}}, wanted).window();
        QCOMPARE(window.begin.ns, got.begin.ns);
        QCOMPARE(window.end.ns, got.end.ns);
    }

    void zoomKeepsTheAnchorInPlace() {
        TimeWindow window = windowOf({{0}, {1'000'000}}, {{0}, {1'000'000}});
        window.zoom(0.5, {250'000}); // a quarter from the left before and after
        QCOMPARE(window.window().begin.ns, std::int64_t{125'000});
        QCOMPARE(window.window().end.ns, std::int64_t{625'000});
        window.zoom(2.0, {250'000});
        QVERIFY(window.showsAll());
    }
    void revealsByTheShortestWay() {
        TimeWindow window = windowOf({{0}, {1000}}, {{100}, {300}});
        window.reveal({300});
        QCOMPARE(window.window().begin.ns, std::int64_t{100}); // in view already
        window.reveal({350});
        QCOMPARE(window.window().begin.ns, std::int64_t{150});
        window.reveal({40});
        QCOMPARE(window.window().begin.ns, std::int64_t{40});
        QCOMPARE(window.window().length().ns, std::int64_t{200});
    }
    void stepsAreSharesOfTheWindow() {
        TimeWindow window = windowOf({{0}, {1000}}, {{100}, {300}});
        QCOMPARE(window.beside({150}, 0.02).ns, std::int64_t{154});
        QCOMPARE(window.beside({150}, -0.02).ns, std::int64_t{146});
        QCOMPARE(window.beside({150}, 0.001).ns, std::int64_t{151}); // a fifth of a nanosecond
        QCOMPARE(window.beside({150}, -0.001).ns, std::int64_t{149});
        QCOMPARE(window.beside({998}, 0.5).ns, std::int64_t{1000});
        QCOMPARE(window.beside({2}, -0.5).ns, std::int64_t{0});
    }
    void zoomStopsAtTheShortest() {
        TimeWindow window = windowOf({{0}, {1000}}, {{0}, {1000}});
        for (int i = 0; i < 100; ++i)
            window.zoom(0.5, {500});
        QCOMPARE(window.window().length().ns, TimeWindow::kShortest.ns);
        QVERIFY(window.window().begin.ns <= 500 && 500 <= window.window().end.ns);
    }
    void zoomIsExactFarFromZero() {
        // 2^60 ns: a double could not tell neighbours closer than 256 ns apart.
        const std::int64_t far = std::int64_t{1} << 60;
        TimeWindow window = windowOf({{far}, {far + 1000}}, {{far}, {far + 1000}});
        window.zoom(0.1, {far + 500});
        QCOMPARE(window.window().begin.ns, far + 450);
        QCOMPARE(window.window().end.ns, far + 550);
    }
    void nonsenseFactorsChangeNothing() {
        TimeWindow window = windowOf({{0}, {1000}}, {{100}, {200}});
        window.zoom(0.0, {150});
        window.zoom(-1.0, {150});
        window.zoom(std::nan(""), {150});
        QCOMPARE(window.window().begin.ns, std::int64_t{100});
        QCOMPARE(window.window().end.ns, std::int64_t{200});
    }
    void panStopsAtTheEdge() {
        TimeWindow window = windowOf({{0}, {1000}}, {{100}, {200}});
        window.pan({50});
        QCOMPARE(window.window().begin.ns, std::int64_t{150});
        window.pan({-9999});
        QCOMPARE(window.window().begin.ns, std::int64_t{0});
        QCOMPARE(window.window().end.ns, std::int64_t{100});
    }
    void centresAndFrames() {
        TimeWindow window = windowOf({{0}, {1000}}, {{0}, {100}});
        window.centreOn({500});
        QCOMPARE(window.window().begin.ns, std::int64_t{450});
        window.frame({{400}, {600}});
        QCOMPARE(window.window().begin.ns, std::int64_t{380});
        QCOMPARE(window.window().end.ns, std::int64_t{620});
    }
    void limitsWithoutLengthAreWidened() {
        TimeWindow window;
        window.setLimits({{7}, {7}});
        QCOMPARE(window.limits().length().ns, TimeWindow::kShortest.ns);
    }

    void undoAndRedoWalkTheLine() {
        ViewHistory history;
        history.reset(at(0));
        QVERIFY(!history.canUndo());
        history.record(at(1), ViewChange::Jump, 0);
        history.record(at(2), ViewChange::Jump, 0);
        QVERIFY(history.undo() == at(1));
        QVERIFY(history.undo() == at(0));
        QVERIFY(!history.canUndo());
        QVERIFY(history.redo() == at(1));
        QVERIFY(history.redo() == at(2));
        QVERIFY(!history.canRedo());
    }
    void windowsMoveWithTheRuns() {
        ViewHistory history;
        history.reset(at(0));
        history.record(at(5), ViewChange::Jump, 0);
        history.shift(DurationNs{100});
        QVERIFY(history.undo() == at(100));
        QVERIFY(history.redo() == at(105));
    }
    void aGestureIsOneStep() {
        ViewHistory history;
        history.reset(at(0));
        for (int i = 1; i <= 20; ++i)
            history.record(at(i), ViewChange::Zoom, 100 * i);
        QVERIFY(history.undo() == at(0));
        QVERIFY(history.redo() == at(20));
    }
    void aPauseOrAnotherKindEndsTheGesture() {
        ViewHistory history;
        history.reset(at(0));
        history.record(at(1), ViewChange::Zoom, 0);
        history.record(at(2), ViewChange::Zoom, ViewHistory::kGestureMs + 1);
        history.record(at(3), ViewChange::Pan, ViewHistory::kGestureMs + 2);
        QVERIFY(history.undo() == at(2));
        QVERIFY(history.undo() == at(1));
        QVERIFY(history.undo() == at(0));
    }
    void aChangeAfterUndoDropsTheRest() {
        ViewHistory history;
        history.reset(at(0));
        history.record(at(1), ViewChange::Zoom, 0);
        history.record(at(2), ViewChange::Jump, 1);
        history.undo();
        history.record(at(9), ViewChange::Zoom, 2);
        QVERIFY(!history.canRedo());
        QVERIFY(history.undo() == at(1));
    }
    void nothingChangedIsNoStep() {
        ViewHistory history;
        history.reset(at(0));
        history.record(at(0), ViewChange::Jump, 0);
        QVERIFY(!history.canUndo());
    }
    void theLineIsBounded() {
        ViewHistory history;
        history.reset(at(0));
        for (int i = 1; i <= 1000; ++i)
            history.record(at(i), ViewChange::Jump, 0);
        std::size_t steps = 0;
        for (; history.canUndo(); ++steps)
            history.undo();
        QCOMPARE(steps, ViewHistory::kMost - 1);
    }
};

TRAINSCOPE_TEST(tst_TimeWindow)
#include "tst_TimeWindow.moc"
