// The open database: who asked for its runs again is told, and what others change is seen.

#include "app/importing/DescribedRuns.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "core/figures/support/SweepDatabase.h"
#include "support/TestProgram.h"

namespace {

// A view whose reading lasts until it may end.
class SlowView : public app::DatabaseView {
public:
    [[nodiscard]] app::ExportJob exportJob() const override { return {}; }
    QSemaphore mayEnd;
    int readings = 0;
    int growths = 0;

protected:
    void restore() override { }
    void forget() override { }
    void load() override {
        if (workspace() == nullptr || !isActive() || readings > 0)
            return;
        read<int>(
            {},
            [this](const store::Store&, const Progress&) -> Result<int> {
                mayEnd.tryAcquire(1, 10'000);
                return 1;
            },
            [this](int count) { readings += count; });
    }
    void readGrowth() override { ++growths; }
};

} // namespace

class tst_Workspace : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_database.make(test::writeTimelineDatabase)); }
    void init() { QVERIFY(m_database.open()); }
    void cleanup() { m_database.close(); }

    void whoeverAskedIsTold() {
        int told = 0;
        for (int i = 0; i < 3; ++i)
            m_database.workspace().reload(
                [&told](const Status& status) { told += status.hasValue() ? 1 : 0; });
        QTRY_COMPARE(told, 3);
        // Not of a database that was closed meanwhile.
        m_database.workspace().reload([&told](const Status&) { ++told; });
        m_database.workspace().close();
        QVERIFY(test::settles(m_database.workspace()));
        QCOMPARE(told, 3);
    }

    // Whoever waits for a change is told that there is no database any more.
    void aChangeOfNothingIsRefused() {
        auto& workspace = m_database.workspace();
        workspace.close();
        std::vector<Status> told;
        const auto tell = [&told](const Status& status) { told.push_back(status); };
        const auto work = [](store::Store&) { return Status(); };
        workspace.change(work, tell);
        workspace.write(work, tell);
        workspace.changeLabels(
            {}, [](store::RunLabels&) { return Status(); }, tell);
        QVERIFY(told.empty()); // as with any other change, later
        QTRY_COMPARE(told.size(), std::size_t{3});
        for (const Status& status : told) {
            QVERIFY(!status.hasValue());
            QCOMPARE(status.error().code, ErrorCode::Refused);
        }
    }

    // By another program, such as `trainscope-cli cluster`.
    void whatOthersSayOfARunIsSeen() {
        auto& workspace = m_database.workspace();
        const RunId run = workspace.runs().front().id;
        const std::string before = workspace.runs().front().gpuModel;
        QSignalSpy changed(&workspace, &app::Workspace::runsChanged);
        const auto say = [this, run](const std::string& model) {
            auto store = store::Store::open(m_database.path(), store::OpenMode::ReadWrite);
            return store.hasValue() && app::sayGpuModel(store.value(), run, model).hasValue();
        };
        QVERIFY(before != "NVIDIA H200");
        QVERIFY(say("NVIDIA H200"));
        QTRY_COMPARE(changed.size(), 1);
        QCOMPARE(workspace.runs().front().gpuModel, std::string("NVIDIA H200"));
        QVERIFY(say({}));
        QTRY_COMPARE(changed.size(), 2);
        QCOMPARE(workspace.runs().front().gpuModel, before);
    }

    // A view that reads while a run grows has not seen all of it.
    void growthWhileAViewReads() {
        SlowView view;
        view.setViews(&m_database.views());
        view.setActive(true);
        QVERIFY(view.isLoading());
        Q_EMIT m_database.workspace().figuresAged();
        QCOMPARE(view.growths, 0);
        view.mayEnd.release();
        QTRY_COMPARE(view.readings, 1);
        QCOMPARE(view.growths, 1);
    }

    // Nobody chose: the run with a trace and telemetry, not the first by name.
    void theRichestRunIsShown() {
        test::SweepDatabase made;
        for (const char* name : {"a", "b", "c"}) {
            test::SweepRun run;
            run.name = name;
            run.gpus = 1;
            if (run.name != "c")
                run.series.push_back({"gpu_power", 0, {100.0, 200.0}});
            if (run.name != "a")
                run.kernels.push_back({0, 0.0, 0.5, "gemm"});
            made.add(run);
        }
        app::Workspace workspace;
        workspace.open(made.store().path());
        QTRY_VERIFY(workspace.isOpen() && !workspace.shownRuns().empty());
        QCOMPARE(workspace.shownRuns().size(), std::size_t{1});
        QCOMPARE(workspace.shownRuns().front().name, std::string("b"));
        const Run* other = workspace.richestRun([](const Run& run) { return run.name != "b"; });
        QVERIFY(other != nullptr);
        QCOMPARE(other->name, std::string("a"));
        QVERIFY(workspace.richestRun([](const Run&) { return false; }) == nullptr);
    }
};

TRAINSCOPE_GUI_TEST(tst_Workspace)
#include "tst_Workspace.moc"
