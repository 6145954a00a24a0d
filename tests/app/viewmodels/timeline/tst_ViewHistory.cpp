// Undo and redo, and which steps count as one.

#include "app/viewmodels/timeline/TimeWindow.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::ViewChange;
using app::ViewHistory;
using app::ViewState;

namespace {

ViewState at(std::int64_t begin) {
    return {{{begin}, {begin + 10}}, {}};
}

} // namespace

class tst_ViewHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_ViewHistory)
#include "tst_ViewHistory.moc"
