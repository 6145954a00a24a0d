// Figures of a run that a recorder adds to: read again at a calm pace while they are seen, with
// what is selected, and the run's tag says that it is being recorded.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/figures/FigureController.h"
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/session/RunListModel.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/text/Texts.h"
#include "core/store/Recording.h"
#include "core/text/RunState.h"
#include "support/TestProgram.h"

using namespace trainscope;

class tst_LiveFigures : public QObject {
    Q_OBJECT

private:
    static constexpr std::int64_t kSecond = 1'000'000'000;

    QTemporaryDir m_folder;
    std::unique_ptr<store::Store> m_store;
    std::unique_ptr<store::Recording> m_recording;
    std::array<SeriesId, 2> m_power;
    std::int64_t m_time = 0; // the next sample's
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<app::Views> m_views;

    // Seconds that end now, or did before.
    void record(int seconds, double watts) {
        for (int i = 0; i < seconds * 10; ++i, m_time += kSecond / 10) {
            for (std::size_t gpu = 0; gpu < m_power.size(); ++gpu)
                m_recording->sample(m_power[gpu], {m_time}, watts + 100.0 * double(gpu));
        }
        QVERIFY(m_recording->commit({}).hasValue());
    }
    std::unique_ptr<app::FigureController> seenHeatmap() {
        app::FigureSettings power;
        power.query.metrics = {"gpu_power"};
        power.query.wholeRun = true;
        m_views->setSettings(QStringLiteral("heatmap"), app::figureSettings().kept(power));
        auto heatmap = std::make_unique<app::FigureController>();
        heatmap->setViews(m_views.get());
        heatmap->setView(app::Views::Heatmap);
        heatmap->setActive(true);
        if (!QTest::qWaitFor([&] { return heatmap->isReady() && !heatmap->isLoading(); }))
            QTest::qFail("the heatmap is not read", __FILE__, __LINE__);
        return heatmap;
    }
    static void draw(app::FigureController& figure) {
        const auto& theme = plot::darkTheme();
        figure.draw(theme, app::measureWith(theme), 800.0, 400.0);
    }
    [[nodiscard]] const Run& run() const { return m_workspace->runs().front(); }

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
        for (int gpu = 0; gpu < 2; ++gpu) {
            QVERIFY(m_recording->gpu({gpu, 0, gpu, "NVIDIA H100", ""}).hasValue());
            SeriesDescription power;
            power.metric = *findMetric(metric::kGpuPower);
            power.subject.rank = gpu;
            power.subject.node = 0;
            m_power[static_cast<std::size_t>(gpu)] = m_recording->series(power).value();
        }
        m_time = wallClock().ns - 30 * kSecond;
        record(20, 100.0);
        m_workspace = std::make_unique<app::Workspace>();
        m_workspace->setFigurePace(std::chrono::milliseconds(100));
        QVERIFY(test::opens(*m_workspace, path));
        m_views = std::make_unique<app::Views>();
        m_views->setWorkspace(m_workspace.get());
    }
    void cleanup() {
        m_views.reset();
        m_workspace.reset();
        m_recording.reset();
        m_store.reset();
    }

    // 20 s at 100 W, then 9.9 s at 400 W until the last sample: the mean of GPU 0 is 100 W and
    // becomes (20·100 + 9.9·400) / 29.9 W, GPU 1 draws 100 W more.
    void heatmapGrows() {
        const auto heatmap = seenHeatmap();
        const auto mean = [&heatmap](std::size_t gpu) {
            return heatmap->data()->heatmaps.front().rows.front().values[gpu].value();
        };
        QCOMPARE(mean(0), 100.0);
        draw(*heatmap);
        QVERIFY(heatmap->step(1, 0)); // the first cell
        const QString selected = heatmap->selectedTitle();
        QVERIFY(!selected.isEmpty());
        record(10, 400.0);
        QTRY_VERIFY(mean(0) > 101.0);
        QVERIFY(std::abs(mean(0) - 5960.0 / 29.9) < 1e-6);
        QVERIFY(std::abs(mean(1) - 8950.0 / 29.9) < 1e-6);
        draw(*heatmap);
        QCOMPARE(heatmap->selectedTitle(), selected);
        QVERIFY(!heatmap->selected().isEmpty());
    }

    // A hidden figure is read when it is seen again.
    void hiddenFiguresWait() {
        const auto shown = seenHeatmap();
        app::FigureController& heatmap = *shown;
        heatmap.setActive(false);
        QSignalSpy aged(m_workspace.get(), &app::Workspace::figuresAged);
        record(10, 400.0);
        QTRY_VERIFY(!aged.isEmpty());
        QSignalSpy repaints(&heatmap, &app::DrawnView::repaintNeeded);
        QVERIFY(test::settles(*m_workspace));
        QVERIFY(repaints.isEmpty());
        heatmap.setActive(true);
        QTRY_VERIFY(!repaints.isEmpty());
    }

    // The moment that is shown stays while its run becomes longer.
    void playbackStays() {
        app::Playback playback;
        playback.setRange({{0}, {10 * kSecond}});
        QCOMPARE(playback.time().ns, 5 * kSecond);
        playback.seek({3 * kSecond});
        QSignalSpy moves(&playback, &app::Playback::moved);
        playback.setRange({{0}, {20 * kSecond}});
        QCOMPARE(playback.time().ns, 3 * kSecond);
        QVERIFY(moves.isEmpty());
        playback.setRange({{kSecond}, {21 * kSecond}}); // another run's
        QCOMPARE(playback.time().ns, 11 * kSecond);
    }

    // GPU 1 draws 200 W at most, then 500 W: the scale of a moment is that of the whole run.
    void scaleOfAMomentGrows() {
        app::LayoutSettings power;
        power.metric = "gpu_power";
        m_views->setSettings(QStringLiteral("layout"), app::layoutSettings().kept(power));
        app::LayoutController layout;
        layout.setViews(m_views.get());
        m_workspace->setShown({run().id});
        layout.setActive(true);
        QTRY_VERIFY(layout.isReady() && !layout.isLoading());
        QCOMPARE(layout.colours().scale.range.high, 200.0);
        record(10, 400.0);
        QTRY_COMPARE(layout.colours().scale.range.high, 500.0);
        QCOMPARE(layout.colours().scale.range.low, 100.0);
    }

    // The GPUs draw 100 and 200 W for 20 s, then 400 and 500 W: 150 of 450 W in the mean.
    void curveOfTheRunGrows() {
        app::RunListModel list;
        list.setWorkspace(m_workspace.get());
        const auto curve = [&list] { return list.at(0, "curve").value<QList<double>>(); };
        QTRY_VERIFY(!curve().isEmpty());
        QCOMPARE(curve().front(), 1.0);
        record(10, 400.0);
        QTRY_COMPARE(curve().front(), 150.0 / 450.0);
        QCOMPARE(curve().back(), 1.0);
    }

    // Partial to the database; who looks on sees that it is being recorded, until nobody does.
    void tagOfTheRun() {
        app::RunListModel list;
        list.setWorkspace(m_workspace.get());
        const auto tag = [this] { return app::runTags(run()).value(0); };
        QVERIFY(run().status == RunStatus::Partial);
        QCOMPARE(tag(), QStringLiteral("recording"));
        QVERIFY(list.at(0, "tags").toStringList().contains(QStringLiteral("recording")));
        QVERIFY(!text::isBeingRecorded(run(), wallClock() + DurationNs{20 * kSecond}));
        QCOMPARE(text::runState(run(), wallClock() + DurationNs{20 * kSecond}),
            std::string_view("partial"));
        QSignalSpy resets(&list, &QAbstractItemModel::modelReset);
        QVERIFY(m_recording->finish({}, {}).hasValue());
        QTRY_VERIFY(run().status == RunStatus::Ok);
        QCOMPARE(tag(), QStringLiteral("measured"));
        QVERIFY(!list.at(0, "tags").toStringList().contains(QStringLiteral("recording")));
        QVERIFY(resets.isEmpty()); // scroll and choice stay
    }
};

TRAINSCOPE_GUI_TEST(tst_LiveFigures)
#include "tst_LiveFigures.moc"
