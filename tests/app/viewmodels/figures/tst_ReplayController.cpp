// The view Replay: its pictures, changes of the step, and runs that have none.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/figures/ReplayController.h"
#include "app/viewmodels/support/LaunchedDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/StepDatabase.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <QSignalSpy>

using namespace trainscope;

class tst_ReplayController : public QObject {
    Q_OBJECT

    std::unique_ptr<test::OpenDatabase> m_database;
    std::unique_ptr<app::ReplayController> m_controller;

    template <typename Write>
    bool show(const Write& write) {
        m_database = std::make_unique<test::OpenDatabase>();
        if (!m_database->make(write) || !m_database->open())
            return false;
        m_database->workspace().setShown({m_database->workspace().runs().front().id});
        m_controller = std::make_unique<app::ReplayController>();
        m_controller->setViews(&m_database->views());
        m_controller->setActive(true);
        return true;
    }
    // The numbers of the picture that is shown.
    [[nodiscard]] std::string csv() const {
        const auto figure = m_controller->exportJob().figure({}, {});
        return figure.hasValue() ? figure.value().csv() : std::string();
    }

private Q_SLOTS:
    void cleanup() {
        m_controller.reset();
        m_database.reset();
    }

    void pictures() {
        QVERIFY(show(&test::writeStepDatabase));
        QTRY_VERIFY(m_controller->isReady());
        VERIFY_SAYS(csv(), "measured");
        m_controller->choose(QStringLiteral("picture"), 1);
        QVERIFY(m_controller->isReady() && !m_controller->isLoading());
        VERIFY_SAYS(csv(), "sm90_gemm");
        const auto& theme = plot::lightTheme();
        QVERIFY(m_controller->draw(theme, app::measureWith(theme), 900.0, 600.0));
        m_controller->choose(QStringLiteral("picture"), 2);
        QVERIFY(!m_controller->isReady());
        QVERIFY(m_controller->emptyText().contains(QStringLiteral("No rank waits")));
    }

    void changes() {
        QVERIFY(show(&test::writeStepDatabase));
        QTRY_VERIFY(m_controller->isReady());
        m_controller->setChanges(QStringLiteral("kernel:sm90_gemm=0.5x; category:gemm=0.5x"));
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        VERIFY_SAYS(csv(), "steps,changed,0.00015");
        m_controller->setChanges(QStringLiteral("nonsense"));
        QTRY_VERIFY(!m_controller->errorText().isEmpty());
        m_controller->setChanges({});
        QTRY_VERIFY(m_controller->isReady());
        QCOMPARE(m_controller->errorText(), QString());
    }

    void savedAsARun() {
        QVERIFY(show(&test::writeStepDatabase));
        QTRY_VERIFY(m_controller->isReady());
        m_controller->setChanges(QStringLiteral("kernel:sm90_gemm=0.5x"));
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        m_controller->saveAsRun();
        QVERIFY(m_controller->isSaving());
        auto& workspace = m_database->workspace();
        QTRY_COMPARE(workspace.shownRuns().size(), std::size_t{2});
        QVERIFY(!m_controller->isSaving());
        QCOMPARE(workspace.shownRuns().back().name, "steps, if kernel:sm90_gemm=0.5x");
        QVERIFY(workspace.findRun(workspace.shownRuns().back().id)->kind == RunKind::Predicted);
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        // In its place, beside what was measured.
        m_controller->compareWithMeasured();
        QTRY_COMPARE(m_database->views().view(), app::Views::Compare);
        QCOMPARE(workspace.runs().size(), std::size_t{2});
        const auto wanted = m_database->views().takeToCompare();
        QVERIFY(wanted && workspace.findRun(wanted->run)->name == "steps");
    }

    void whyAStepIsNotSaved() {
        QVERIFY(show(&test::writeStepDatabase));
        QTRY_VERIFY(m_controller->isReady());
        auto& workspace = m_database->workspace();
        const auto write = [](store::Store& store) {
            auto session = store::beginImport(store, {"other", 0, "other", "steps, replayed"});
            Run run;
            run.name = "steps, replayed";
            if (!session.hasValue() || !session.value()->run(run).hasValue())
                return Status(session.hasValue() ? Error() : session.error());
            return session.value()->finish({}, "other", 0, {});
        };
        bool isWritten = false;
        workspace.write(write, [&](const Status& done) { isWritten = done.hasValue(); });
        QTRY_VERIFY(isWritten);
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        QSignalSpy failed(&m_database->views(), &app::Views::failed);
        m_controller->saveAsRun();
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(!m_controller->isSaving());
        QCOMPARE(workspace.shownRuns().size(), std::size_t{1});
    }

    void withoutTraces() {
        QVERIFY(show(&test::writeLaunched));
        QTRY_VERIFY(!m_controller->isLoading() && !m_controller->emptyText().isEmpty());
        QVERIFY(!m_controller->isReady());
        QVERIFY(m_controller->emptyText().contains(QStringLiteral("no traces")));
        QVERIFY(!m_controller->exportJob().figure);
    }
};

TRAINSCOPE_GUI_TEST(tst_ReplayController)
#include "tst_ReplayController.moc"
