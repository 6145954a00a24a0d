// The view Replay: its pictures, changes of the step, and runs that have none.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/figures/ReplayController.h"
#include "app/viewmodels/support/LaunchedDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/StepDatabase.h"
#include "support/TestProgram.h"

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
