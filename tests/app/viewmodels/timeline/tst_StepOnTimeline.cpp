// The replay of a step on the timeline: its critical path as a line, and what a selected kernel is
// worth (see StepDatabase.h).

#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/StepDatabase.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "support/TestProgram.h"

using namespace trainscope;

class tst_StepOnTimeline : public QObject, test::OpenDatabase {
    Q_OBJECT

private:
    std::unique_ptr<app::TimelineController> m_controller;

    void show(const char* run) {
        m_workspace->setShown({runOf(run)});
        m_controller = std::make_unique<app::TimelineController>();
        m_controller->setWorkspace(m_workspace.get());
        m_controller->setViewSize(1160, 700, 1.0);
    }
    [[nodiscard]] app::InspectorModel& inspector() { return *m_controller->inspector(); }
    [[nodiscard]] app::TimelineOverlays& overlays() { return *m_controller->overlays(); }

private Q_SLOTS:
    void initTestCase() { QVERIFY(make(&test::writeStepDatabase)); }
    void init() {
        QVERIFY(openWorkspace());
        show("steps");
        QTRY_VERIFY(m_controller->isReady());
    }
    void cleanup() {
        m_controller.reset();
        close();
    }

    // Eight steps, each with the product on its path.
    void theCriticalPath() {
        QTRY_COMPARE(overlays().known()->size(), std::size_t{1});
        QVERIFY(overlays().known()->front().path.empty());
        QVERIFY(m_controller->handleKey(Qt::Key_C, 0));
        QVERIFY(overlays().arePathsShown());
        QTRY_VERIFY(overlays().known()->front().path.size() >= 3);
        QCOMPARE(overlays().pathText(), QString());
        QVERIFY(m_controller->handleKey(Qt::Key_C, 0));
        QVERIFY(overlays().known()->front().path.empty());
    }

    // The host waits for the product: of its 400 µs half is saved, or all that the launch leaves.
    void aKernelThatTakesLess() {
        QVERIFY(!inspector().whatIf()->isAvailable());
        QVERIFY(m_controller->handleKey(Qt::Key_I, 0));
        QTRY_COMPARE(
            inspector().whatIf()->text(), QStringLiteral("Select a kernel on the timeline."));
        QTRY_VERIFY(inspector().kernels()->names()->count() == 1);
        inspector().kernels()->names()->select(0);
        QTRY_VERIFY(inspector().whatIf()->isAvailable());
        QTRY_VERIFY2(inspector().whatIf()->text().contains(QStringLiteral(
                         "In half their time: a step of 450 µs is shorter by 200 µs")),
            qPrintable(inspector().whatIf()->text()));
        QVERIFY(inspector().whatIf()->text().contains(QStringLiteral("In no time: a step")));
        QVERIFY(inspector().text().contains(QStringLiteral("shorter by 200 µs")));
        QVERIFY(m_controller->handleKey(Qt::Key_I, 0));
        QCOMPARE(inspector().whatIf()->text(), QString());
    }
};

TRAINSCOPE_GUI_TEST(tst_StepOnTimeline)
#include "tst_StepOnTimeline.moc"
