// The layout of a run in the window: what is read and said, the moment and its playback, pointing,
// selection in all views, and a layout entered by hand.

#include "app/painting/FigureExport.h"
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/support/LayoutDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/window/Theme.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::LayoutController;
using app::LayoutDiagrams;
using app::Views;

namespace {

constexpr double kWidth = 900.0;

plot::FigureStyle style() {
    static const plot::Theme& theme = plot::lightTheme();
    plot::FigureStyle style;
    style.theme = &theme;
    style.width = kWidth;
    style.measure = [](std::string_view text, plot::TextRole, bool) {
        return 6.0 * static_cast<double>(text.size());
    };
    return style;
}

} // namespace

class tst_LayoutController : public QObject, test::OpenDatabase {
    Q_OBJECT

    std::unique_ptr<LayoutController> m_controller;
    qint64 m_now = 0;

    bool show(const std::vector<const char*>& names) {
        std::vector<RunId> runs;
        for (const char* name : names)
            runs.push_back(runOf(name));
        m_workspace->setShown(runs);
        m_controller->setActive(true);
        return QTest::qWaitFor(
            [this] { return m_controller->isReady() && !m_controller->isLoading(); });
    }
    void layOut() {
        for (const auto part : {LayoutDiagrams::Physical, LayoutDiagrams::Legend,
                 LayoutDiagrams::Logical, LayoutDiagrams::Schedule})
            m_controller->diagrams()->layOut(part, style());
    }
    // The middle of a rank's cell in a part.
    std::optional<QPointF> centreOf(LayoutDiagrams::Part part, int rank) {
        for (double y = 1.0; y < m_controller->diagrams()->scene(part).height; y += 4.0) {
            for (double x = 1.0; x < kWidth; x += 4.0) {
                m_controller->hover()->hoverAt(part, x, y);
                const QString title = QStringLiteral("Rank %1 ").arg(rank);
                if (m_controller->hover()->title().startsWith(title))
                    return m_controller->hover()->place().center();
            }
        }
        return std::nullopt;
    }
    QString factOf(const char* label) {
        for (const auto& fact : m_controller->selection()->facts()->facts()) {
            if (fact.label == QLatin1String(label))
                return fact.value;
        }
        return {};
    }
    double valueOf(int rank) const {
        const auto& values = m_controller->colours().values;
        return values.size() > static_cast<std::size_t>(rank)
            ? values[static_cast<std::size_t>(rank)].value_or(-1.0)
            : -2.0;
    }

private Q_SLOTS:
    void init() {
        QFile::remove(m_folder.filePath(QStringLiteral("layout.trainscope")));
        QVERIFY(make(&test::writeLayoutDatabase) && open());
        m_controller = std::make_unique<LayoutController>();
        m_now = 0;
        m_controller->playback()->setClock([this] { return m_now; });
        m_controller->setViews(m_views.get());
    }
    void cleanup() {
        m_controller.reset();
        close();
    }

    void readsWhenSeen() {
        m_workspace->setShown({runOf("grid")});
        QVERIFY(test::settles(*m_workspace));
        QVERIFY(!m_controller->isReady());
        QVERIFY(show({"grid"}));
        QCOMPARE(m_controller->errorText(), QString());
        QVERIFY(m_controller->hasLogical());
        QVERIFY(m_controller->schedule()->isShown());
        VERIFY_SAYS(m_controller->origin(), "launch.yaml");
        // (p - 1) / (m + p - 1) of 2 stages and 4 micro-batches: 1 of 5.
        VERIFY_SAYS(m_controller->schedule()->text(), "planned 20.0 %");
        layOut();
        QVERIFY(m_controller->diagrams()->scene(LayoutDiagrams::Schedule).height > 0.0);
    }

    // GPipe takes as long as 1F1B; zero-bubble with equal thirds has a third of its idle time: of
    // 12 units of work and 3 of waiting, 1 of 13.
    void anotherPlan() {
        QVERIFY(show({"grid"}));
        auto* schedule = m_controller->schedule();
        QCOMPARE(schedule->settings()->count(), 1);
        schedule->choose(QStringLiteral("plan"), 4);
        QTRY_VERIFY2(
            schedule->text().contains(QStringLiteral("7.7 %")), qPrintable(schedule->text()));
        QVERIFY(schedule->text().contains(QStringLiteral("ZB-H1")));
        QVERIFY(m_controller->figures().contains(QStringLiteral("Pipeline schedule")));
        m_controller->setFigure(1);
        VERIFY_SAYS(m_controller->exportJob().name, "schedule");
        // Interleaved needs as many micro-batches as stages: it has 4 of 2.
        schedule->choose(QStringLiteral("plan"), 3);
        QTRY_VERIFY(schedule->text().contains(QStringLiteral("Interleaved")));
        schedule->choose(QStringLiteral("plan"), 0);
        QTRY_VERIFY(schedule->text().contains(QStringLiteral("20.0 %")));
    }

    void nothingIsChosen() {
        m_workspace->setShown({});
        m_controller->setActive(true);
        QVERIFY(!m_controller->emptyTitle().isEmpty());
        QVERIFY(!m_controller->isEnterable());
    }

    // The held value of the moment: 40 + rank + second.
    void theMomentOfTheCursor() {
        QVERIFY(show({"grid"}));
        auto* playback = m_controller->playback();
        playback->seek(test::layoutTime(17.5));
        QTRY_COMPARE(valueOf(3), 40.0 + 3.0 + 17.0);
        QCOMPARE(playback->timeText(), QStringLiteral("17.5 s"));
        playback->setPosition(0.0);
        QTRY_COMPARE(valueOf(7), 47.0);
        // The scale is that of the whole run.
        QVERIFY(m_controller->colours().scale.range.low <= 40.0);
        QVERIFY(m_controller->colours().scale.range.high >= 107.0);
    }

    // 8 seconds of the run in one: after half a second of real time it is 4 seconds on.
    void playsByTheClock() {
        QVERIFY(show({"grid"}));
        auto* playback = m_controller->playback();
        playback->setPosition(0.0);
        playback->setSpeed(3);
        playback->setPlaying(true);
        QVERIFY(playback->isPlaying());
        const auto after = [&](qint64 ms) {
            m_now += ms;
            playback->tick();
            return (playback->time() - test::kLayoutStart).seconds();
        };
        // The first picture is read: time stands, and goes on when it has come.
        QVERIFY(QTest::qWaitFor([&] { return after(1) > 0.0; }));
        const double begun = after(0);
        QCOMPARE(after(500), begun + 4.0);
        QTRY_VERIFY(std::abs(valueOf(0) - (40.0 + begun + 4.0)) < 1.0);
        // At the end it stops, and begins anew.
        m_now += 60'000;
        playback->tick();
        QVERIFY(!playback->isPlaying());
        QCOMPARE(playback->position(), 1.0);
        // The last values are held there: 40 + rank + 60.
        QTRY_COMPARE(valueOf(0), 100.0);
        QCOMPARE(valueOf(7), 107.0);
        playback->setPlaying(true);
        QCOMPARE(playback->position(), 0.0);
        playback->setPlaying(false);
    }

    void statisticsAndGroups() {
        QVERIFY(show({"grid"}));
        QSignalSpy changed(m_controller.get(), &LayoutController::settingsChanged);
        const auto rowOf = [this](const char* key) {
            const auto& rows = m_controller->settings()->rows();
            const auto row = std::find_if(rows.begin(), rows.end(),
                [key](const app::SettingRow& one) { return one.key == QLatin1String(key); });
            return row == rows.end() ? app::SettingRow() : *row;
        };
        QVERIFY(m_controller->isMoving());
        const auto peak = rowOf("statistic").choices.indexOf(QStringLiteral("peak"));
        QVERIFY2(peak > 0, qPrintable(rowOf("statistic").choices.join(QLatin1Char(','))));
        m_controller->choose(QStringLiteral("statistic"), static_cast<int>(peak));
        QVERIFY(!m_controller->isMoving());
        QTRY_COMPARE(valueOf(2), 40.0 + 2.0 + 60.0);
        const auto stage = rowOf("colour").choices.indexOf(QStringLiteral("Pipeline stage"));
        QVERIFY(stage > 0);
        m_controller->choose(QStringLiteral("colour"), static_cast<int>(stage));
        QTRY_VERIFY(m_controller->colours().by == plot::RankColour::Pipeline);
        QVERIFY(changed.size() >= 2);
        // It is remembered.
        const auto saved
            = app::layoutSettings().restored({}, m_views->settings(QStringLiteral("layout")));
        QVERIFY(saved.by == plot::RankColour::Pipeline);
    }

    // Rank 5: second node, slot 1; stage 1, tensor rank 1, replica 0. Its groups: tp 4-5, dp 5 7,
    // pp 1 5.
    void pointing() {
        QVERIFY(show({"grid"}));
        layOut();
        for (const auto part : {LayoutDiagrams::Physical, LayoutDiagrams::Logical}) {
            const auto at = centreOf(part, 5);
            QVERIFY(at);
            m_controller->hover()->hoverAt(part, at->x(), at->y());
            QCOMPARE(m_controller->hover()->part(), int(part));
            const QString text = m_controller->hover()->text();
            for (const char* line :
                {"tensor: 2 ranks, 4, 5", "data: 2 ranks, 5, 7", "pipeline: 2 ranks, 1, 5"})
                VERIFY_SAYS(text, QLatin1String(line));
            // Both diagrams are marked.
            for (const auto marked : {LayoutDiagrams::Physical, LayoutDiagrams::Logical})
                QVERIFY(!m_controller->diagrams()->marks(marked, plot::lightTheme()).items.empty());
            m_controller->hover()->leave();
            QVERIFY(m_controller->diagrams()->marks(part, plot::lightTheme()).items.empty());
        }
    }

    void aPassOfTheSchedule() {
        QVERIFY(show({"grid"}));
        layOut();
        const double height = m_controller->diagrams()->scene(LayoutDiagrams::Schedule).height;
        QString title;
        for (double y = 0.0; y < height && title.isEmpty(); y += 3.0) {
            for (double x = 0.0; x < kWidth && title.isEmpty(); x += 5.0) {
                m_controller->hover()->hoverAt(LayoutDiagrams::Schedule, x, y);
                title = m_controller->hover()->title();
            }
        }
        VERIFY_SAYS(title, "forward of micro-batch 0");
        QCOMPARE(m_controller->hover()->part(), int(LayoutDiagrams::Schedule));
        // 4 micro-batches are 8 passes: all of the step is shown.
        QVERIFY(!m_controller->schedule()->isLongStep());
    }

    void selectionGoesRound() {
        QVERIFY(show({"grid"}));
        layOut();
        std::vector<app::Evidence> chosen;
        connect(m_views.get(), &Views::selected, this,
            [&chosen](const app::Evidence& evidence) { chosen.push_back(evidence); });
        const auto at = centreOf(LayoutDiagrams::Logical, 5);
        QVERIFY(at);
        m_controller->selection()->clickAt(LayoutDiagrams::Logical, at->x(), at->y());
        QCOMPARE(chosen.size(), std::size_t{1});
        QCOMPARE(chosen[0].rank.value_or(-1), 5);
        QVERIFY(chosen[0].run == runOf("grid"));
        QCOMPARE(factOf("Node"), QStringLiteral("1"));
        QCOMPARE(factOf("Slot"), QStringLiteral("1"));
        QCOMPARE(factOf("Stage"), QStringLiteral("1 of 2"));
        QCOMPARE(factOf("Tensor rank"), QStringLiteral("1 of 2"));
        QTRY_COMPARE(factOf("Power"), QStringLiteral("100 W"));
        // From another view.
        m_views->select({runOf("grid"), 2, std::nullopt, {}});
        QCOMPARE(m_controller->selection()->rank(), 2);
        QCOMPARE(chosen.size(), std::size_t{2});
        // By keys: 0 and 1 stand in front, 2 and 3 behind them.
        QVERIFY(m_controller->selection()->step(1, 0));
        QCOMPARE(m_controller->selection()->rank(), 3);
        QVERIFY(m_controller->selection()->step(-1, 0));
        QCOMPARE(m_controller->selection()->rank(), 2);
        QVERIFY(!m_controller->selection()->step(-1, 0));
        QVERIFY(m_controller->selection()->step(0, -1));
        QCOMPARE(m_controller->selection()->rank(), 0);
        QVERIFY(m_controller->clear());
        QCOMPARE(m_controller->selection()->rank(), -1);
        QVERIFY(!m_controller->clear());
    }

    // The timeline's cursor moves the camera, and the camera the timeline's cursor.
    void oneCursor() {
        QVERIFY(show({"grid"}));
        m_views->setCursor({{runOf("grid"), test::layoutTime(9)}});
        QTRY_COMPARE(valueOf(0), 49.0);
        app::TimelineController timeline;
        timeline.setViews(m_views.get());
        timeline.setWorkspace(m_workspace.get());
        QTRY_VERIFY(timeline.isReady());
        m_controller->playback()->seek(test::layoutTime(21));
        QTRY_VERIFY(m_views->cursorOf(runOf("grid")) == test::layoutTime(21));
        QTRY_VERIFY(timeline.cursor()->text().contains(QStringLiteral("21")));
        // A selection elsewhere moves no cursor.
        m_views->select({runOf("grid"), 4, std::nullopt, {}});
        QVERIFY(m_views->cursorOf(runOf("grid")) == test::layoutTime(21));
        QVERIFY(m_controller->playback()->time() == test::layoutTime(21));
    }

    void severalRunsCanBeChosen() {
        QVERIFY(show({"grid", "bare"}));
        QCOMPARE(m_controller->settings()->rows().front().key, QStringLiteral("run"));
        const auto& choices = m_controller->settings()->rows().front().choices;
        const auto bare = choices.indexOf(QStringLiteral("bare"));
        m_controller->choose(QStringLiteral("run"), static_cast<int>(bare));
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        QCOMPARE(m_controller->title(), QStringLiteral("bare"));
        QVERIFY(!m_controller->hasLogical());
        QVERIFY(m_controller->emptyText().contains(QStringLiteral("by hand")));
        // A rank of the other run that another view selects brings that run.
        m_views->select({runOf("grid"), 3, std::nullopt, {}});
        QTRY_VERIFY(m_controller->isReady() && m_controller->title() == QStringLiteral("grid"));
        QCOMPARE(m_controller->selection()->rank(), 3);
    }

    void byHand() {
        QVERIFY(show({"grid", "bare"}));
        const auto& runs = m_controller->settings()->rows().front().choices;
        m_controller->choose(
            QStringLiteral("run"), static_cast<int>(runs.indexOf(QStringLiteral("bare"))));
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        m_controller->beginForm();
        auto* form = m_controller->form();
        QVERIFY(form->fits());
        form->set(QStringLiteral("tp"), QStringLiteral("3"));
        QVERIFY(!form->fits());
        VERIFY_SAYS(form->verdict(), "2 ranks are not divisible by TP 3");
        m_controller->saveForm(); // nothing
        form->set(QStringLiteral("tp"), QStringLiteral("x"));
        QVERIFY(form->verdict().contains(QStringLiteral("\"x\"")));
        form->set(QStringLiteral("tp"), QStringLiteral("2"));
        QVERIFY(form->fits());
        m_controller->saveForm();
        QTRY_VERIFY(m_controller->isEntered());
        QVERIFY(m_controller->hasLogical());
        QCOMPARE(m_controller->title(), QStringLiteral("bare"));
        QVERIFY(m_controller->origin().contains(QStringLiteral("by hand")));
        std::function<void()> undo;
        connect(m_views.get(), &Views::undoOffered, this,
            [&undo](const QString&, const std::function<void()>& offered) { undo = offered; });
        m_controller->forgetEntered();
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isEntered());
        QVERIFY(!m_controller->hasLogical());
        QVERIFY(undo);
        undo();
        QTRY_VERIFY(m_controller->isReady() && m_controller->isEntered());
        m_controller->beginForm();
        QCOMPARE(m_controller->form()->request().tensor, std::optional<int>(2));
    }

    void figuresAreWritten() {
        QVERIFY(show({"grid"}));
        const auto job = m_controller->exportJob();
        QVERIFY(job.figure);
        const auto figure = job.figure({}, [](const ProgressState&) { return true; });
        QVERIFY(figure.hasValue());
        QVERIFY(figure.value().draw && figure.value().csv);
        const QString svg = m_folder.filePath(QStringLiteral("layout.svg"));
        QVERIFY(app::writeFigure(figure.value(), svg, {}).hasValue());
        const QString csv = m_folder.filePath(QStringLiteral("layout.csv"));
        QVERIFY(app::writeNumbers(figure.value(), csv).hasValue());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().trimmed().split('\n').size(), 9);
    }
};

TRAINSCOPE_GUI_TEST(tst_LayoutController)
#include "tst_LayoutController.moc"
