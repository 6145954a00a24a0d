// The layout view shows the run, moment and choices that it names, also where these change while
// something else is read or nobody looks.

#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/support/LayoutDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::LayoutController;
using app::Views;

class tst_LayoutChoices : public QObject, test::OpenDatabase {
    Q_OBJECT

    std::unique_ptr<LayoutController> m_controller;

    bool show(const std::vector<RunId>& runs) {
        m_workspace->setShown(runs);
        m_controller->setActive(true);
        return isRead();
    }
    bool isRead() {
        return QTest::qWaitFor(
            [this] { return m_controller->isReady() && !m_controller->isLoading(); });
    }
    QString factOf(const char* label) {
        for (const auto& fact : m_controller->selection()->facts()->facts()) {
            if (fact.label == QLatin1String(label))
                return fact.value;
        }
        return {};
    }
    double valueOf(std::size_t rank) const {
        const auto& values = m_controller->colours().values;
        return rank < values.size() ? values[rank].value_or(-1.0) : -2.0;
    }
    static QString chosenOf(const std::vector<app::SettingRow>& rows, const char* key) {
        for (const auto& row : rows) {
            if (row.key == QLatin1String(key))
                return row.choices.value(row.current);
        }
        return {};
    }

private Q_SLOTS:
    void init() {
        QFile::remove(m_folder.filePath(QStringLiteral("layout.trainscope")));
        QVERIFY(make(&test::writeLayoutDatabase) && open());
        m_controller = std::make_unique<LayoutController>();
        m_controller->setViews(m_views.get());
    }
    void cleanup() {
        m_controller.reset();
        close();
    }

    // In the middle, after 30 s, rank 1 of "grid" has 40 + 1 + 30 °C; all of "bare" have 50 °C.
    void readingsOfAnotherRun() {
        QVERIFY(show({runOf("grid"), runOf("bare")}));
        m_views->select({runOf("grid"), 1, std::nullopt, {}});
        QTRY_COMPARE(factOf("Temperature"), QStringLiteral("71 °C"));
        const auto& choices = m_controller->settings()->rows().front().choices;
        m_controller->choose(
            QStringLiteral("run"), static_cast<int>(choices.indexOf(QStringLiteral("bare"))));
        QVERIFY(factOf("Temperature").isEmpty());
        QVERIFY(isRead());
        QTRY_COMPARE(factOf("Temperature"), QStringLiteral("50 °C"));
        // The same rank of the first run, selected elsewhere.
        m_views->select({runOf("grid"), 1, std::nullopt, {}});
        QVERIFY(isRead());
        QTRY_COMPARE(factOf("Temperature"), QStringLiteral("71 °C"));
    }

    // The reading of "grid" ends when "bare" is what will be shown.
    void anotherRunWhileNobodyLooks() {
        m_workspace->setShown({runOf("grid")});
        m_controller->setActive(true);
        QVERIFY(!m_controller->isReady());
        m_controller->setActive(false);
        m_workspace->setShown({runOf("grid"), runOf("bare")});
        m_views->select({runOf("bare"), 1, std::nullopt, {}});
        QVERIFY(test::settles(*m_workspace));
        QVERIFY(!m_controller->isReady());
        m_controller->setActive(true);
        QVERIFY(isRead());
        QCOMPARE(m_controller->title(), QStringLiteral("bare"));
        QVERIFY(!m_controller->hasLogical());
        QTRY_COMPARE(valueOf(0), 50.0);
        QCOMPARE(m_controller->colours().values.size(), std::size_t{2});
    }

    // Rank 0 has 40 °C and one more for each second.
    void aCursorThatMovedMeanwhile() {
        QVERIFY(show({runOf("grid")}));
        QTRY_COMPARE(valueOf(0), 70.0);
        m_controller->setActive(false);
        m_views->setCursor({{runOf("grid"), test::layoutTime(20)}});
        QVERIFY(test::settles(*m_workspace));
        m_controller->setActive(true);
        QTRY_COMPARE(valueOf(0), 60.0);
    }

    // The first metric is power, 100 W throughout. The next choice supersedes its reading.
    void aChoiceThatIsOvertaken() {
        QVERIFY(show({runOf("grid")}));
        QCOMPARE(m_controller->colours().scale.metric, std::string("gpu_temperature"));
        m_controller->choose(QStringLiteral("colour"), 0);
        m_controller->schedule()->choose(QStringLiteral("plan"), 4);
        QTRY_COMPARE(m_controller->colours().scale.metric, std::string("gpu_power"));
        QTRY_COMPARE(valueOf(0), 100.0);
        QTRY_VERIFY(m_controller->schedule()->text().contains(QStringLiteral("ZB-H1")));
        // And the other way round.
        m_controller->schedule()->choose(QStringLiteral("plan"), 0);
        m_controller->choose(QStringLiteral("colour"), 1);
        QTRY_COMPARE(m_controller->colours().scale.metric, std::string("gpu_temperature"));
        QTRY_VERIFY(!m_controller->schedule()->text().contains(QStringLiteral("ZB-H1")));
    }

    // Another moment while colours are read: what is shown in the end is of the later one.
    void aMomentThatIsOvertaken() {
        QVERIFY(show({runOf("grid")}));
        m_controller->choose(QStringLiteral("colour"), 0);
        QVERIFY(isRead());
        m_controller->choose(QStringLiteral("colour"), 1);
        m_controller->playback()->seek(test::layoutTime(10));
        QVERIFY(isRead());
        QTRY_COMPARE(valueOf(0), 50.0);
    }

    void statisticsThatTheMetricHas() {
        app::LayoutChoices choices;
        choices.metrics = {{"gpu_power", "GPU power"}, {"nvlink_tx", "NVLink sent"}};
        app::LayoutSettings settings;
        settings.metric = "nvlink_tx";
        settings.statistic = plot::FigureStatistic::Peak;
        // A counter has its total alone.
        auto fitted = app::fittedLayout(settings, choices);
        QCOMPARE(fitted.metric, std::string("nvlink_tx"));
        QVERIFY(fitted.statistic == plot::FigureStatistic::Total);
        QCOMPARE(chosenOf(app::layoutSettings().rows(fitted, choices), "statistic"),
            QStringLiteral("total"));
        settings.metric = "gpu_power";
        fitted = app::fittedLayout(settings, choices);
        QVERIFY(fitted.statistic == plot::FigureStatistic::Peak);
        settings.metric = "mem_power";
        fitted = app::fittedLayout(settings, choices);
        QCOMPARE(fitted.metric, std::string("gpu_power"));
        QVERIFY(fitted.statistic == plot::FigureStatistic::Mean);
        settings.statistic.reset(); // at the cursor
        QVERIFY(!app::fittedLayout(settings, choices).statistic);
    }

    void groupsThatTheLayoutHas() {
        app::LayoutChoices choices;
        choices.metrics = {{"gpu_power", "GPU power"}};
        choices.hasLayout = true;
        choices.hasExperts = true;
        app::LayoutSettings settings;
        settings.by = plot::RankColour::Expert;
        settings.lit = layout::CommunicatorKind::Expert;
        settings.metric = "gpu_power";
        QCOMPARE(app::fittedLayout(settings, choices), settings);
        choices.hasExperts = false;
        const auto fitted = app::fittedLayout(settings, choices);
        QVERIFY(fitted.by == plot::RankColour::Node && !fitted.lit);
        QCOMPARE(chosenOf(app::layoutSettings().rows(fitted, choices), "colour"),
            QStringLiteral("Node"));
        QCOMPARE(chosenOf(app::layoutSettings().rows(fitted, choices), "lit"),
            QStringLiteral("All groups"));
    }
};

TRAINSCOPE_GUI_TEST(tst_LayoutChoices)
#include "tst_LayoutChoices.moc"
