// Ranks whose clocks differ by an hour: found in the background, applied, reported, switched off.

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/timeline/AlignmentModel.h"
#include "app/viewmodels/timeline/TimelineItem.h"
#include "core/analysis/traces/PlantedRun.h"
#include "support/TestProgram.h"

#include <QQuickWindow>

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

plot::ViewWindow limitsOf(
    const std::vector<TimeRange>& ranges, const std::vector<TimeNs>& origins) {
    app::TimelineCatalogue catalogue;
    std::vector<plot::ShownRun> shown;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        catalogue.runs.emplace_back().range = ranges[i];
        shown.emplace_back().origin = origins[i];
    }
    return app::viewLimits(shown, catalogue);
}

} // namespace

class tst_AlignmentModel : public QObject {
    Q_OBJECT

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
        VERIFY_SAYS(alignment()->clockText(), "1 h");
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

    // Alignments that the timeline can be moved over.
    void limitsHoldAllRuns() {
        const plot::ViewWindow wanted{{-20}, {700}};
        QVERIFY(limitsOf({{{1000}, {1700}}, {{5000}, {5100}}}, {{1000}, {5020}}) == wanted);
    }
    void anInstantHasASecondAround() {
        const plot::ViewWindow wanted{{-500'000'000}, {500'000'000}};
        QVERIFY(limitsOf({{{7}, {8}}}, {{7}}) == wanted);
        const plot::ViewWindow kernel{{0}, {2}};
        QVERIFY(limitsOf({{{7}, {9}}}, {{7}}) == kernel);
    }
    void withoutDataThereIsNothing() { QVERIFY(limitsOf({{}}, {{}}).length() == DurationNs{}); }

private:
    QTemporaryDir m_state;
    test::PlantedRun m_planted;
    app::Workspace m_workspace;
    std::unique_ptr<app::TimelineController> m_controller;

    [[nodiscard]] app::AlignmentModel* alignment() const { return m_controller->alignment(); }
    [[nodiscard]] std::int64_t length() const {
        return m_controller->context().window.limits().length().ns;
    }
};

TRAINSCOPE_GUI_TEST(tst_AlignmentModel)
#include "tst_AlignmentModel.moc"
