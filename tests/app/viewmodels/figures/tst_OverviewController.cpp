// The overview of the chosen run, and the places that its sentences lead to.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/figures/OverviewController.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "support/TestProgram.h"

#include <set>

using namespace trainscope;
using analysis::Topic;
using app::Views;

class tst_OverviewController : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<app::OverviewController> m_controller;

    RunId runNamed(const std::string& name) {
        for (const Run& run : m_database.workspace().runs()) {
            if (run.name == name)
                return run.id;
        }
        return {};
    }
    // Place of the topic's sentence on the page; the number of sentences: it does not tell that.
    std::size_t sentenceOf(Topic topic) {
        const auto& told = m_controller->data()->overview.sentences;
        const auto found = std::find_if(
            told.begin(), told.end(), [topic](const auto& one) { return one.topic == topic; });
        return std::size_t(found - told.begin());
    }
    bool has(Topic topic) {
        return sentenceOf(topic) < m_controller->data()->overview.sentences.size();
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_database.make(test::writeTimelineDatabase)); }
    void init() {
        QVERIFY(m_database.open());
        m_controller = std::make_unique<app::OverviewController>();
        m_controller->setViews(&m_database.views());
        m_database.workspace().setShown({runNamed("small")});
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isReady());
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    void tellsTheChosenRun() {
        QCOMPARE(m_controller->data()->overview.run.name, std::string("small"));
        QVERIFY(m_controller->title().contains(QStringLiteral("small")));
        QCOMPARE(m_controller->caption(), QString());
        QVERIFY(has(Topic::Time) && has(Topic::Energy));
        // Kernels of 100 ms, 1 ms and 1 µs; from 1 s to the end of the last one, 3.000001 s.
        const auto& time = m_controller->data()->overview.sentences[sentenceOf(Topic::Time)];
        QVERIFY(std::abs(time.values.at("busy_s") - 0.101001) < 1e-9);
        QVERIFY(std::abs(time.values.at("traced_s") - 2.000001) < 1e-9);
        m_database.workspace().setShown({runNamed("later"), runNamed("small")});
        QTRY_VERIFY(m_controller->isReady() && m_controller->data()->overview.run.name == "later");
        QVERIFY(m_controller->caption().contains(QStringLiteral("first of 2")));
    }

    void sentencesLeadToWhatProvesThem() {
        auto& views = m_database.views();
        m_controller->prove(sentenceOf(Topic::Time));
        QCOMPARE(views.view(), Views::Kernels);
        QSignalSpy wanted(&views, &Views::timelineWanted);
        m_controller->prove(sentenceOf(Topic::Energy));
        QCOMPARE(views.view(), Views::Timeline);
        QCOMPARE(wanted.size(), 1);
        m_controller->prove(m_controller->data()->overview.sentences.size());
        QCOMPARE(views.view(), Views::Findings);
    }

    // The page is clicked where the sentence stands.
    void aClickOpensThePlace() {
        const auto& theme = plot::lightTheme();
        QVERIFY(m_controller->draw(theme, app::measureWith(theme), 900.0, 600.0));
        const auto picture = plot::buildOverview(
            *m_controller->data(), {&theme, 900.0, 600.0, app::measureWith(theme), true, true});
        QCOMPARE(picture.targets.size(), m_controller->data()->overview.sentences.size() + 2);
        const auto& row = picture.targets[sentenceOf(Topic::Time)].rect;
        m_controller->hoverAt(row.x + 5.0, row.y + 5.0);
        QCOMPARE(m_controller->hoverTitle(), QStringLiteral("Where time went"));
        m_controller->clickAt(row.x + 5.0, row.y + 5.0);
        QCOMPARE(m_database.views().view(), Views::Kernels);
    }

    // One line on what could not be checked opens into a list, and closes again.
    void aClickUnfoldsWhatWasNotChecked() {
        const auto& theme = plot::lightTheme();
        const auto heightOf = [&] {
            return plot::buildOverview(
                *m_controller->data(), {&theme, 900.0, 0.0, app::measureWith(theme), true, true})
                .preferredHeight;
        };
        const auto line = m_controller->data()->overview.sentences.size() + 1;
        const double folded = heightOf();
        m_controller->prove(line);
        QVERIFY(heightOf() > folded);
        QCOMPARE(m_database.views().view(), Views::Overview);
        m_controller->prove(line);
        QCOMPARE(heightOf(), folded);
    }

    // Operations that are no kernels are told apart as well.
    void partsOfAPathHaveColours() {
        plot::OverviewFigureData data;
        analysis::OverviewSentence path;
        path.topic = Topic::Path;
        path.text = "A path.";
        path.isWhole = true;
        for (const char* key : {"forward-compute", "backward-compute", "delay"})
            path.parts.push_back({key, key, 1.0});
        data.overview.sentences = {path};
        data.curves.resize(1);
        const auto& theme = plot::lightTheme();
        const auto picture = plot::buildOverview(
            data, {&theme, 900.0, 600.0, app::measureWith(theme), true, true});
        std::set<std::uint32_t> colours;
        for (const plot::SceneItem& item : picture.scene.items) {
            if (const auto* fill = std::get_if<plot::FillRect>(&item);
                fill != nullptr && fill->rect.height > 10.0 && fill->rect.width > 50.0)
                colours.insert(fill->fill.r * 65'536U + fill->fill.g * 256U + fill->fill.b);
        }
        QVERIFY(colours.size() >= 3);
    }

    void keysChooseAndOpen() {
        const auto& theme = plot::lightTheme();
        m_controller->draw(theme, app::measureWith(theme), 900.0, 600.0);
        QVERIFY(m_controller->step(0, 1));
        const QString first = m_controller->selectedTitle();
        QVERIFY(m_controller->step(0, 1));
        QVERIFY(m_controller->selectedTitle() != first);
        QVERIFY(m_controller->step(0, -1));
        QCOMPARE(m_controller->selectedTitle(), first);
        m_controller->openSelected();
        QCOMPARE(m_database.views().view(), Views::Iterations);
    }

    void theRunBeforeStandsBeside() {
        m_database.workspace().setShown({runNamed("later")});
        QTRY_VERIFY(m_controller->isReady() && m_controller->data()->overview.run.name == "later");
        // Other GPUs in number: no run before it is alike.
        QVERIFY(!has(Topic::Change));
    }

    void isWritten() {
        QVERIFY(m_controller->exportJob().figure);
        const auto figure = m_controller->exportJob().figure({}, {});
        QVERIFY(figure.hasValue());
        VERIFY_SAYS(figure.value().csv(), "small,time,busy_s,");
        m_database.workspace().close();
        QVERIFY(!m_controller->isReady());
        QVERIFY(!m_controller->exportJob().figure);
    }
};

TRAINSCOPE_GUI_TEST(tst_OverviewController)
#include "tst_OverviewController.moc"
