// A view of figures over a real database: reading, keeping, cancelling, pointer, selection, export.

#include "app/painting/FigureExport.h"
#include "app/painting/ScenePainter.h"
#include "app/viewmodels/figures/FigureController.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::Views;

class tst_FigureController : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<app::FigureController> m_controller;

    void layOut() {
        const auto& theme = plot::darkTheme();
        m_controller->draw(theme, app::measureWith(theme), 800.0, 400.0);
    }
    // The middle of the cell of a GPU of the run with two.
    QPointF cellOf(std::size_t column) {
        const auto& theme = plot::darkTheme();
        const auto geometry = plot::buildFigure(
            *m_controller->data(), {&theme, 800.0, 400.0, app::measureWith(theme), false, false});
        layOut();
        const auto& map = m_controller->data()->heatmaps.front();
        const auto& cells = geometry.areas.front();
        const auto row = std::find_if(map.rows.begin(), map.rows.end(), [this](const auto& other) {
            return m_controller->data()->runs[other.run].name == "small";
        });
        return {cells.x + cells.width * (double(column) + 0.5) / double(map.columns.size()),
            cells.y
                + cells.height * (double(row - map.rows.begin()) + 0.5) / double(map.rows.size())};
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_database.make(test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(m_database.open());
        // Both runs have it.
        app::FigureSettings power;
        power.query.metrics = {"gpu_power"};
        m_database.views().setSettings(
            QStringLiteral("heatmap"), app::figureSettings().kept(power));
        m_controller = std::make_unique<app::FigureController>();
        m_controller->setViews(&m_database.views());
        m_controller->setView(Views::Heatmap);
        m_controller->choose(QStringLiteral("runs"), 0); // all of the database
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    void readsOnlyWhenItIsSeen() {
        QVERIFY(test::settles(m_database.workspace()));
        QVERIFY(!m_controller->isLoading() && !m_controller->isReady());
        m_controller->setActive(true);
        QVERIFY(m_controller->isLoading());
        QTRY_VERIFY(m_controller->isReady());
        QVERIFY(!m_controller->isLoading());
        QCOMPARE(m_controller->errorText(), QString());
        // Both runs of the database, though one is shown.
        QCOMPARE(m_controller->data()->heatmaps.front().rows.size(), std::size_t{2});
    }

    void settingsComeWithTheMetricsOfTheDatabase() {
        QAbstractItemModelTester tester(
            m_controller->settings(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        auto* settings = m_controller->settings();
        QTRY_COMPARE(settings->at(1, "choices").toStringList().size(), 3);
        QCOMPARE(settings->rowCount(settings->index(0)), 0);
        QCOMPARE(settings->at(1, "key").toString(), QStringLiteral("metric"));
    }

    void whatWasReadIsKept() {
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        const auto first = m_controller->data();
        m_controller->setWholeRun(true);
        QTRY_VERIFY(m_controller->isReady() && m_controller->data() != first);
        m_controller->setWholeRun(false);
        QVERIFY(m_controller->data() == first); // at once, and the very same
        QVERIFY(!m_controller->isLoading());
    }

    void theLastChoiceCounts() {
        m_controller->setActive(true);
        for (int i = 0; i < 20; ++i)
            m_controller->setWholeRun(i % 2 == 0);
        QTRY_VERIFY(m_controller->isReady() && !m_controller->isLoading());
        QCOMPARE(m_controller->data()->query.wholeRun, false);
    }

    void shownRunsAlone() {
        m_controller->setActive(true);
        m_controller->choose(QStringLiteral("runs"), 1);
        QTRY_VERIFY(m_controller->isReady());
        QCOMPARE(m_controller->data()->heatmaps.front().rows.size(), std::size_t{1});
        m_database.workspace().setShown({});
        QVERIFY(!m_controller->isReady());
        QCOMPARE(m_controller->emptyText(), QStringLiteral("Choose a run on the left."));
        m_database.workspace().setShown({m_database.workspace().runs()[1].id});
        QTRY_VERIFY(m_controller->isReady());
        QCOMPARE(m_controller->data()->runs.front().name, m_database.workspace().runs()[1].name);
    }

    void cancelStopsAndReadAgainReads() {
        m_controller->setActive(true);
        m_controller->cancel();
        QVERIFY(m_controller->isStopped() && !m_controller->isLoading());
        QVERIFY(test::settles(m_database.workspace()));
        QVERIFY(!m_controller->isReady());
        m_controller->readAgain();
        QTRY_VERIFY(m_controller->isReady());
        QVERIFY(!m_controller->isStopped());
    }

    void pointerFindsRunAndRank() {
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        const QPointF at = cellOf(1);
        m_controller->hoverAt(at.x(), at.y());
        QVERIFY2(m_controller->hoverTitle().contains(QStringLiteral("small"))
                && m_controller->hoverTitle().contains(QLatin1Char('1')),
            qPrintable(m_controller->hoverTitle()));
        QVERIFY(m_controller->hovered().contains(at));
        QSignalSpy moved(m_controller.get(), &app::FigureController::hoverChanged);
        m_controller->hoverAt(at.x() + 1.0, at.y());
        QCOMPARE(moved.size(), 0); // the same cell
        m_controller->leave();
        QCOMPARE(m_controller->hoverTitle(), QString());
    }

    void clickSelectsForAllViews() {
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        std::vector<app::Evidence> selected;
        connect(&m_database.views(), &Views::selected, this,
            [&selected](const app::Evidence& evidence) { selected.push_back(evidence); });
        const QPointF at = cellOf(1);
        m_controller->clickAt(at.x(), at.y());
        QCOMPARE(selected.size(), std::size_t{1});
        QCOMPARE(selected[0].rank.value_or(-1), 1);
        QVERIFY(m_controller->selected().contains(at));
        QVERIFY(m_controller->selectedFacts()->count() > 0);
        // It stays while the figure is laid out anew, and the keys go on from it.
        layOut();
        QVERIFY(m_controller->selected().contains(at));
        QVERIFY(m_controller->step(-1, 0));
        QVERIFY(m_controller->selected().contains(cellOf(0)));
        QVERIFY(!m_controller->step(-1, 0));
        // A key that comes while nothing is drawn.
        const auto& theme = plot::darkTheme();
        m_controller->draw(theme, app::measureWith(theme), 0.0, 0.0);
        QVERIFY(!m_controller->step(-1, 0));
        QVERIFY(!m_controller->step(0, 1));
        layOut();
        // A second view of the same kind follows.
        app::FigureController other;
        other.setViews(&m_database.views());
        other.setView(Views::Heatmap);
        other.setActive(true);
        QTRY_VERIFY(other.isReady());
        other.draw(plot::darkTheme(), app::measureWith(plot::darkTheme()), 800.0, 400.0);
        m_controller->clickAt(at.x(), at.y());
        QVERIFY(other.selected().contains(at));
        m_controller->clickAt(1.0, 1.0);
        QVERIFY(m_controller->selected().isEmpty());
    }

    void doubleClickShowsTheTimeline() {
        m_database.views().setView(Views::Heatmap);
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        m_controller->openSelected(); // nothing is selected
        QCOMPARE(m_database.views().view(), Views::Heatmap);
        const QPointF at = cellOf(0);
        m_controller->clickAt(at.x(), at.y());
        m_controller->openSelected();
        QCOMPARE(m_database.views().view(), Views::Timeline);
    }

    void anotherDatabaseForgetsEverything() {
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        m_database.workspace().close();
        QVERIFY(!m_controller->isReady());
        QCOMPARE(m_controller->caption(), QString());
    }

    void exportsWhatIsShown() {
        QVERIFY(!m_controller->exportJob().figure);
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
        const auto job = m_controller->exportJob();
        const QString svg = m_database.folder().filePath(QStringLiteral("f.svg"));
        const auto figure = job.figure({}, {});
        QVERIFY(figure.hasValue());
        QVERIFY(app::writeFigure(figure.value(), svg, {}).hasValue());
        QVERIFY(QFile(svg).size() > 500);
        const QString csv = m_database.folder().filePath(QStringLiteral("f.csv"));
        QVERIFY(app::writeNumbers(figure.value(), csv).hasValue());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray::fromStdString(plot::figureCsv(*m_controller->data())));
    }
};

TRAINSCOPE_GUI_TEST(tst_FigureController)
#include "tst_FigureController.moc"
