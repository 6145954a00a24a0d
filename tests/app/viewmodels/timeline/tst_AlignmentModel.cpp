// Ranks whose clocks differ by an hour: found in the background, applied, reported, switched off.

#include <QQuickWindow>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/timeline/TimelineItem.h"
#include "core/analysis/traces/PlantedRun.h"
#include "support/TestProgram.h"

#include <cmath>
#include <memory>

using namespace trainscope;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

} // namespace

class tst_AlignmentModel : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_state;
    test::PlantedRun m_planted;
    app::Workspace m_workspace;
    std::unique_ptr<app::TimelineController> m_controller;

    [[nodiscard]] app::AlignmentModel* alignment() const { return m_controller->alignment(); }
    [[nodiscard]] std::int64_t length() const {
        return m_controller->context().window.limits().length().ns;
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("XDG_STATE_HOME", m_state.path().toLocal8Bit());
        m_planted.clocks[1] = {kHour, 20.0};
        for (std::int64_t i = 0; i < 30; ++i) {
            const std::int64_t at = i * 60'000'000 + i * i * 20'000;
            m_planted.addCollective({0, 1}, {at, at + 3'000'000}, 2'000'000,
                test::collectiveDetail("allreduce", 8, "0", {0, 1}), [] { return 0; });
        }
        const auto path = m_planted.stored().path();
        QVERIFY(test::opens(m_workspace, path));
        m_workspace.setShown({m_workspace.runs().front().id});
        m_controller = std::make_unique<app::TimelineController>();
        m_controller->setWorkspace(&m_workspace);
        QTRY_VERIFY(m_controller->isReady());
    }
    void differencesAreFoundAndApplied() {
        QTRY_VERIFY(alignment()->clocksDiffer());
        QVERIFY(alignment()->onOneClock());
        QTRY_VERIFY(length() < 3'000'000'000);
        QVERIFY2(alignment()->clockText().contains(QStringLiteral("1 h")),
            qPrintable(alignment()->clockText()));
        QVERIFY(m_controller->request().runs.front().clocks != nullptr);
    }
    void switchedOffTheTracesStayAsRecorded() {
        QTRY_VERIFY(alignment()->clocksDiffer());
        alignment()->setOnOneClock(false);
        QVERIFY(length() > kHour);
        QVERIFY(m_controller->request().runs.front().clocks == nullptr);
        alignment()->setOnOneClock(true);
        QVERIFY(length() < 3'000'000'000);
    }
};

TRAINSCOPE_GUI_TEST(tst_AlignmentModel)
#include "tst_AlignmentModel.moc"
