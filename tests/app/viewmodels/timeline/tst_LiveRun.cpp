// A run that a recorder adds to while it is shown: the timeline follows, is held still, goes back,
// and sees the end.

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "core/store/Recording.h"
#include "support/TestProgram.h"

class tst_LiveRun : public QObject {
    Q_OBJECT

private:
    static constexpr std::int64_t kStart = 1'700'000'000'000'000'000;
    static constexpr std::int64_t kSecond = 1'000'000'000;

    QTemporaryDir m_folder;
    std::unique_ptr<store::Store> m_store;
    std::unique_ptr<store::Recording> m_recording;
    SeriesId m_power;
    int m_seconds = 0; // recorded
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<app::TimelineController> m_controller;

    void record(int seconds) {
        for (; seconds > 0; --seconds, ++m_seconds) {
            for (int i = 0; i < 10; ++i)
                m_recording->sample(
                    m_power, {kStart + m_seconds * kSecond + i * kSecond / 10}, 300);
        }
        QVERIFY(m_recording->commit({}).hasValue());
    }
    [[nodiscard]] plot::ViewWindow seen() const { return m_controller->context().window.window(); }
    // Length up to the last sample and a nanosecond.
    [[nodiscard]] std::int64_t recordedNs() const { return m_seconds * kSecond - kSecond / 10 + 1; }

private Q_SLOTS:
    void init() {
        qputenv("XDG_STATE_HOME", m_folder.path().toLocal8Bit());
        const auto path = std::filesystem::path(m_folder.path().toStdString())
            / (std::string(QTest::currentTestFunction()) + ".trainscope");
        m_store = std::make_unique<store::Store>(store::Store::openOrCreate(path).value());
        Run run;
        run.name = "live";
        m_recording
            = store::Recording::begin(*m_store, {"record:test", 0, {}, "live"}, run).value();
        QVERIFY(m_recording->gpu({0, 0, 0, "NVIDIA H100", "GPU-0"}).hasValue());
        SeriesDescription power;
        power.metric = *findMetric(metric::kGpuPower);
        power.subject.rank = 0;
        power.subject.node = 0;
        m_power = m_recording->series(power).value();
        m_seconds = 0;
        record(20);
        m_workspace = std::make_unique<app::Workspace>();
        QVERIFY(test::opens(*m_workspace, path));
        m_controller = std::make_unique<app::TimelineController>();
        m_controller->setViewSize(1160, 700, 1.0);
        m_controller->setWorkspace(m_workspace.get());
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        QCOMPARE(seen().end.ns, recordedNs());
        QVERIFY(!m_controller->navigation()->isGrowing());
    }
    void cleanup() {
        m_controller.reset();
        m_workspace.reset();
        m_recording.reset();
        m_store.reset();
    }

    void followsTheWholeRun() {
        record(5);
        QTRY_COMPARE(seen().end.ns, recordedNs());
        QCOMPARE(seen().begin.ns, 0);
        QVERIFY(m_controller->navigation()->isGrowing());
        QVERIFY(m_controller->navigation()->isFollowing());
    }

    // The length that was chosen stays, at the end.
    void followsAtTheEnd() {
        m_controller->navigation()->setWindow({{recordedNs() - 4 * kSecond}, {recordedNs()}});
        record(5);
        QTRY_COMPARE(seen().end.ns, recordedNs());
        QCOMPARE(seen().length().ns, 4 * kSecond);
    }

    void holdsStill() {
        m_controller->navigation()->setWindow({{recordedNs() - 4 * kSecond}, {recordedNs()}});
        m_controller->navigation()->setFollowing(false);
        const auto held = seen();
        record(5);
        QTRY_COMPARE(m_controller->context().window.limits().end.ns, recordedNs());
        QVERIFY(seen() == held);
        m_controller->navigation()->setFollowing(true);
        QCOMPARE(seen().end.ns, recordedNs());
    }

    // A user who goes back is not pulled to the end.
    void goesBack() {
        m_controller->navigation()->setWindow({{5 * kSecond}, {8 * kSecond}});
        QVERIFY(!m_controller->navigation()->isFollowing());
        record(5);
        QTRY_COMPARE(m_controller->context().window.limits().end.ns, recordedNs());
        QVERIFY((seen() == plot::ViewWindow{{5 * kSecond}, {8 * kSecond}}));
    }

    void sawTheEnd() {
        record(2);
        QTRY_VERIFY(m_controller->navigation()->isGrowing());
        QVERIFY(m_workspace->runs().front().status == RunStatus::Partial);
        // The overlays of all of a run are read once more.
        QSignalSpy overlays(m_controller->overlays(), &app::TimelineOverlays::changed);
        QVERIFY(m_recording->finish({}, {}).hasValue());
        QTRY_VERIFY(m_workspace->runs().front().status == RunStatus::Ok);
        QTRY_VERIFY(!overlays.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!m_controller->navigation()->isGrowing(), 15'000);
    }
};

TRAINSCOPE_GUI_TEST(tst_LiveRun)
#include "tst_LiveRun.moc"
