// The open view and its choices are remembered per database.

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/figures/runs/RunFigures.h"
#include "support/TestProgram.h"

using app::Views;

class tst_Views : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;

    std::unique_ptr<Views> opened() {
        auto views = std::make_unique<Views>();
        views->setWorkspace(m_workspace.get());
        return views;
    }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_STATE_HOME", m_folder.path().toLocal8Bit());
        m_path = test::writeTimelineDatabase(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
    }
    void init() {
        QDir(app::viewFolder()).removeRecursively();
        m_workspace = std::make_unique<app::Workspace>();
        QVERIFY(test::opens(*m_workspace, m_path));
    }

    void viewAndSettingsComeBack() {
        const QJsonObject chosen{{QStringLiteral("log"), true}};
        {
            auto views = opened();
            views->setView(Views::Heatmap);
            views->setSettings(QStringLiteral("heatmap"), chosen);
        } // writes what is not written yet
        auto views = opened();
        QTRY_COMPARE(views->view(), Views::Heatmap);
        QCOMPARE(views->settings(QStringLiteral("heatmap")), chosen);
        QCOMPARE(views->settings(QStringLiteral("sweep")), QJsonObject());
    }

    // Chosen before what is remembered was read: the rest of it comes back all the same.
    void anEarlyChoiceKeepsTheRest() {
        const QJsonObject chosen{{QStringLiteral("log"), true}};
        const QJsonObject early{{QStringLiteral("sql"), QStringLiteral("SELECT 1")}};
        {
            auto views = opened();
            views->setView(Views::Kernels);
            views->setSettings(QStringLiteral("heatmap"), chosen);
        }
        {
            auto views = opened();
            views->setView(Views::Sweep);
            views->setSettings(QStringLiteral("query"), early);
            QTRY_COMPARE(views->settings(QStringLiteral("heatmap")), chosen);
            QCOMPARE(views->settings(QStringLiteral("query")), early);
            QCOMPARE(views->view(), Views::Sweep);
        }
        auto views = opened();
        QTRY_COMPARE(views->view(), Views::Sweep);
        QCOMPARE(views->settings(QStringLiteral("heatmap")), chosen);
        QCOMPARE(views->settings(QStringLiteral("query")), early);
    }

    // The timeline's part of the same file stays, and the other way round.
    void theTimelineKeepsItsPart() {
        const std::string uuid = m_workspace->uuid();
        app::SavedTimeline view;
        view.display = plot::TimeDisplay::Utc;
        view.overlays = false;
        view.arrangement.emplace();
        QVERIFY(app::writeTimeline(app::viewFolder(), uuid, view).hasValue());
        {
            auto views = opened();
            views->setView(Views::Sweep);
        }
        QVERIFY(app::readTimeline(app::viewFolder(), uuid) == view);
        view.arrangement.reset();
        QVERIFY(app::writeTimeline(app::viewFolder(), uuid, view).hasValue());
        QVERIFY(app::readTimeline(app::viewFolder(), uuid) == view);
        QCOMPARE(app::readViews(app::viewFolder(), uuid).view, QStringLiteral("sweep"));
    }

    void aDatabaseWithoutMemoryOpensTheOverview() {
        auto views = opened();
        views->setView(Views::Kernels);
        m_workspace->close();
        QCOMPARE(views->view(), Views::Overview);
    }

    // The sample opens on another view, until the user has chosen one.
    void theFirstView() {
        {
            Views views;
            views.setFirstView(Views::Compare);
            views.setWorkspace(m_workspace.get());
            QCOMPARE(views.view(), Views::Compare);
            QVERIFY(test::settles(*m_workspace));
            QCOMPARE(views.view(), Views::Compare);
            views.setView(Views::Kernels);
        }
        Views views;
        views.setFirstView(Views::Compare);
        views.setWorkspace(m_workspace.get());
        QTRY_COMPARE(views.view(), Views::Kernels);
    }

    // An older version's view of operators is the view of kernels.
    void theViewOfOperatorsIsThatOfKernels() {
        const QJsonObject chosen{{QStringLiteral("by"), 3}};
        app::SavedViews older;
        older.view = QStringLiteral("operators");
        older.settings = {{QStringLiteral("operators"), chosen},
            {QStringLiteral("kernels"), QJsonObject{{QStringLiteral("kind"), 1}}}};
        QVERIFY(app::writeViews(app::viewFolder(), m_workspace->uuid(), older).hasValue());
        auto views = opened();
        QTRY_COMPARE(views->view(), Views::Kernels);
        QCOMPARE(views->settings(QStringLiteral("kernels")), chosen);
    }

    void evidenceOpensTheTimeline() {
        auto views = opened();
        views->setView(Views::Heatmap);
        QSignalSpy wanted(views.get(), &Views::timelineWanted);
        views->showOnTimeline({m_workspace->runs().front().id, 1, std::nullopt, "gpu_power"});
        QCOMPARE(views->view(), Views::Timeline);
        QCOMPARE(wanted.size(), 1);
        views->select({m_workspace->runs().front().id, 1, std::nullopt, {}});
        QCOMPARE(wanted.size(), 1);
    }

    // Stored keys stay what they are: files of earlier versions have them.
    void viewsHaveTheirKeys() {
        const QStringList keys = test::texts("timeline", "layout", "heatmap", "kernels", "sweep",
            "spectrum", "compare", "findings", "query", "runs", "predict", "overview", "replay",
            "iterations", "history");
        auto views = opened();
        QCOMPARE(views->titles().size(), keys.size());
        for (int view = 0; view < Views::kViews; ++view) {
            QCOMPARE(Views::keyOf(static_cast<Views::View>(view)), keys.at(view));
            QCOMPARE(views->titles().at(view).toLower(), keys.at(view));
        }
    }

    // Settings survive JSON, whatever is chosen.
    void settingsSurviveJson_data() {
        const auto row = test::columns<int>("view");
        row("heatmap", int(Views::Heatmap));
        row("sweep", int(Views::Sweep));
        row("spectrum", int(Views::Spectrum));
    }
    void settingsSurviveJson() {
        QFETCH(int, view);
        const auto kind = static_cast<Views::View>(view);
        const std::vector<plot::FigureChoice> metrics{
            {"gpu_power", "GPU power"}, {"nvlink_rx", "NVLink received"}};
        const auto start = app::defaultSettings(kind);
        int changed = 0;
        for (const auto& row : app::figureSettings().rows(start, metrics)) {
            const int choices = row.count();
            QVERIFY2(row.current >= 0 && row.current < choices, qPrintable(row.key));
            for (int choice = 0; choice < choices; ++choice) {
                const auto after = app::figureSettings().with(start, metrics, row.key, choice);
                QVERIFY(app::restoredSettings(kind, app::figureSettings().kept(after)) == after);
                // The control shows what was chosen.
                for (const auto& shown : app::figureSettings().rows(after, metrics)) {
                    if (shown.key == row.key)
                        QCOMPARE(shown.current, choice);
                }
                changed += after == start ? 0 : 1;
            }
            QVERIFY(app::figureSettings().with(start, metrics, row.key, choices) == start);
            QVERIFY(app::figureSettings().with(start, metrics, row.key, -1) == start);
        }
        QVERIFY(changed > 1);
        QVERIFY(app::figureSettings().with(start, metrics, QStringLiteral("no such"), 0) == start);
        // Settings of another view, or none at all, give the default.
        const auto other = kind == Views::Heatmap ? Views::Sweep : Views::Heatmap;
        QVERIFY(app::restoredSettings(kind, app::figureSettings().kept(app::defaultSettings(other)))
            == start);
        QVERIFY(app::restoredSettings(kind, {}) == start);
        // Before the metrics are known there is none to choose.
        QVERIFY(app::figureSettings().with(
                    app::defaultSettings(Views::Heatmap), {}, QStringLiteral("metric"), 0)
            == app::defaultSettings(Views::Heatmap));
    }
};

TRAINSCOPE_GUI_TEST(tst_Views)
#include "tst_Views.moc"
