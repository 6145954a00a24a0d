// Which view is open and what was chosen in it, remembered per database.
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/workspace/BenchState.h"
#include "app/viewmodels/workspace/FigureSettings.h"
#include "support/TestProgram.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace trainscope;
using app::BenchState;

class tst_BenchState : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;

    std::unique_ptr<BenchState> opened() {
        auto bench = std::make_unique<BenchState>();
        bench->setWorkspace(m_workspace.get());
        return bench;
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
        QVERIFY(m_workspace->open(m_path).hasValue());
    }

    void viewAndSettingsComeBack() {
        const QJsonObject chosen{{QStringLiteral("log"), true}};
        {
            auto bench = opened();
            bench->setView(BenchState::Heatmap);
            bench->setSettings(QStringLiteral("heatmap"), chosen);
        } // writes what is not written yet
        auto bench = opened();
        QTRY_COMPARE(bench->view(), BenchState::Heatmap);
        QCOMPARE(bench->settings(QStringLiteral("heatmap")), chosen);
        QCOMPARE(bench->settings(QStringLiteral("sweep")), QJsonObject());
    }

    // The timeline's part of the same file stays, and the other way round.
    void theTimelineKeepsItsPart() {
        const std::string uuid = m_workspace->store()->uuid();
        app::SavedView view;
        view.display = plot::TimeDisplay::Utc;
        view.overlays = false;
        view.arrangement.emplace();
        QVERIFY(app::writeView(app::viewFolder(), uuid, view).hasValue());
        {
            auto bench = opened();
            bench->setView(BenchState::Sweep);
        }
        QVERIFY(app::readView(app::viewFolder(), uuid) == view);
        view.arrangement.reset();
        QVERIFY(app::writeView(app::viewFolder(), uuid, view).hasValue());
        QVERIFY(app::readView(app::viewFolder(), uuid) == view);
        QCOMPARE(app::readBench(app::viewFolder(), uuid).view, QStringLiteral("sweep"));
    }

    void aDatabaseWithoutMemoryOpensTheTimeline() {
        auto bench = opened();
        bench->setView(BenchState::Kernels);
        m_workspace->close();
        QCOMPARE(bench->view(), BenchState::Timeline);
    }

    // Every preset opens the view of its kind, with a query equal to its own.
    // The sample opens on another view, until the user has chosen one.
    void theFirstView() {
        {
            BenchState bench;
            bench.setFirstView(BenchState::Compare);
            bench.setWorkspace(m_workspace.get());
            QCOMPARE(bench.view(), BenchState::Compare);
            QTest::qWait(100);
            QCOMPARE(bench.view(), BenchState::Compare);
            bench.setView(BenchState::Kernels);
        }
        BenchState bench;
        bench.setFirstView(BenchState::Compare);
        bench.setWorkspace(m_workspace.get());
        QTRY_COMPARE(bench.view(), BenchState::Kernels);
    }

    void presetsOpenTheirViews() {
        auto bench = opened();
        const auto& figures = plot::paperFigures();
        QCOMPARE(bench->presets().size(), qsizetype(figures.size()));
        for (std::size_t i = 0; i < figures.size(); ++i) {
            QSignalSpy restored(bench.get(), &BenchState::restored);
            bench->openPreset(int(i));
            QCOMPARE(bench->view(), app::viewOf(figures[i].query.kind));
            const auto settings = app::decodeSettings(
                bench->view(), bench->settings(BenchState::keyOf(bench->view())));
            QVERIFY(settings.query == figures[i].query);
            QVERIFY(!settings.shownRunsOnly);
            QCOMPARE(restored.size(), 1);
        }
        bench->openPreset(-1);
        bench->openPreset(int(figures.size()));
    }

    void evidenceOpensTheTimeline() {
        auto bench = opened();
        bench->setView(BenchState::Heatmap);
        QSignalSpy wanted(bench.get(), &BenchState::timelineWanted);
        bench->showOnTimeline({m_workspace->runs().front().id, 1, std::nullopt, "gpu_power"});
        QCOMPARE(bench->view(), BenchState::Timeline);
        QCOMPARE(wanted.size(), 1);
        bench->select({m_workspace->runs().front().id, 1, std::nullopt, {}});
        QCOMPARE(wanted.size(), 1);
    }

    // Stored keys stay what they are: files of earlier versions have them.
    void viewsHaveTheirKeys() {
        const QStringList keys{QStringLiteral("timeline"), QStringLiteral("layout"),
            QStringLiteral("heatmap"), QStringLiteral("kernels"), QStringLiteral("sweep"),
            QStringLiteral("spectrum"), QStringLiteral("compare"), QStringLiteral("findings")};
        auto bench = opened();
        QCOMPARE(bench->titles().size(), keys.size());
        for (int view = 0; view < BenchState::kViews; ++view) {
            QCOMPARE(BenchState::keyOf(static_cast<BenchState::View>(view)), keys.at(view));
            QCOMPARE(bench->titles().at(view).toLower(), keys.at(view));
        }
    }

    // Settings survive JSON, whatever is chosen.
    void settingsSurviveJson_data() {
        QTest::addColumn<int>("view");
        QTest::newRow("heatmap") << int(BenchState::Heatmap);
        QTest::newRow("kernels") << int(BenchState::Kernels);
        QTest::newRow("sweep") << int(BenchState::Sweep);
        QTest::newRow("spectrum") << int(BenchState::Spectrum);
    }
    void settingsSurviveJson() {
        QFETCH(int, view);
        const auto kind = static_cast<BenchState::View>(view);
        const std::vector<plot::FigureChoice> metrics{
            {"gpu_power", "GPU power"}, {"nvlink_rx", "NVLink received"}};
        const auto start = app::defaultSettings(kind);
        int changed = 0;
        for (const auto& row : app::settingRows(kind, start, metrics)) {
            const int choices = row.count();
            QVERIFY2(row.current >= 0 && row.current < choices, qPrintable(row.key));
            for (int choice = 0; choice < choices; ++choice) {
                const auto after = app::withSetting(start, metrics, row.key, choice);
                QVERIFY(app::decodeSettings(kind, app::encodeSettings(after)) == after);
                // The control shows what was chosen.
                for (const auto& shown : app::settingRows(kind, after, metrics)) {
                    if (shown.key == row.key)
                        QCOMPARE(shown.current, choice);
                }
                changed += after == start ? 0 : 1;
            }
            QVERIFY(app::withSetting(start, metrics, row.key, choices) == start);
            QVERIFY(app::withSetting(start, metrics, row.key, -1) == start);
        }
        QVERIFY(changed > 1);
        QVERIFY(app::withSetting(start, metrics, QStringLiteral("no such"), 0) == start);
        // What is of another view, or no settings at all, gives the default.
        const auto other = kind == BenchState::Heatmap ? BenchState::Sweep : BenchState::Heatmap;
        QVERIFY(
            app::decodeSettings(kind, app::encodeSettings(app::defaultSettings(other))) == start);
        QVERIFY(app::decodeSettings(kind, {}) == start);
        // Before the metrics are known there is none to choose.
        QVERIFY(app::withSetting(
                    app::defaultSettings(BenchState::Heatmap), {}, QStringLiteral("metric"), 0)
            == app::defaultSettings(BenchState::Heatmap));
    }
};

TRAINSCOPE_GUI_TEST(tst_BenchState)
#include "tst_BenchState.moc"
