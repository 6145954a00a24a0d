// The Predict view when its form, its answer and its searches are not of one job: what is shown,
// taken and exported then.

#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/support/LaunchedDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::PredictController;
using app::Views;

class tst_PredictSearches : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<PredictController> m_controller;

    // A model of no catalogue on one node of H100.
    [[nodiscard]] static predict::JobRequest ownJob(int layers) {
        predict::JobRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-8b");
        request.model.name = "mine";
        request.model.layers = layers;
        request.cluster = predict::clusterFrom("1x8xH100").value();
        request.layout = predict::layoutFrom("tp=4").value();
        request.globalBatch = 128;
        return request;
    }
    bool ranks(const predict::JobRequest& request) {
        m_controller->form()->begin(request);
        m_controller->setRanked(true);
        return QTest::qWaitFor(
            [this] {
                return m_controller->isReady() && !m_controller->isSearching()
                    && m_controller->layouts()->count() > 2;
            },
            60'000);
    }
    [[nodiscard]] double bestSeconds() const {
        const auto board = m_controller->shown();
        return board->found ? board->found->top.front().prediction.seconds : 0.0;
    }
    [[nodiscard]] QString csv() const {
        figures::Request request;
        request.numbers = true;
        const auto figure = m_controller->exportJob().figure(request, {});
        return QString::fromStdString(figure.value().csv());
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_database.make(test::writeLaunched)); }
    void init() {
        QVERIFY(m_database.open());
        m_controller = std::make_unique<PredictController>();
        m_controller->setViews(&m_database.views());
        m_controller->setActive(true);
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    // A search by another objective that is stopped leaves what was found by the first one in the
    // table alone.
    void whatIsStoppedIsNotShown() {
        QVERIFY(ranks(ownJob(32)));
        QVERIFY(m_controller->shown()->found != nullptr);
        m_controller->chooseRanking(QStringLiteral("objective"), 2);
        m_controller->stopSearch();
        QVERIFY(m_controller->isSearchStopped());
        QVERIFY(m_controller->layouts()->count() > 2);
        QVERIFY(!csv().contains(QStringLiteral("\nranking,")));
        m_controller->searchAgain();
        QTRY_VERIFY_WITH_TIMEOUT(!m_controller->isSearching(), 60'000);
        QVERIFY(m_controller->shown()->found->objective == predict::SearchObjective::PeakPower);
    }

    // The same name and the same fields, but half the layers.
    void anotherModelOfThatNameIsSearched() {
        QVERIFY(ranks(ownJob(32)));
        const double before = bestSeconds();
        m_controller->form()->begin(ownJob(16));
        const auto found
            = predict::searchLayouts(app::searchOf(ownJob(16), app::RankingSettings{}));
        const double expected = found.value().top.front().prediction.seconds;
        QVERIFY(expected < before);
        QTRY_COMPARE_WITH_TIMEOUT(bestSeconds(), expected, 60'000);
    }

    // TP 3 is none: the answer before stays, and the layouts that are found are no figure together
    // with it.
    void layoutsOfARefusedFormAreNotExported() {
        QVERIFY(ranks(ownJob(32)));
        QVERIFY(csv().contains(QStringLiteral("\nranking,")));
        QTRY_VERIFY(m_controller->layouts()->at(0, "chosen").toBool());
        m_controller->form()->set(QStringLiteral("tp"), QStringLiteral("3"));
        QTRY_VERIFY(!m_controller->fault().isEmpty());
        QVERIFY(!m_controller->isSearching());
        QVERIFY(m_controller->isReady() && m_controller->layouts()->count() > 0);
        for (int row = 0; row < m_controller->layouts()->count(); ++row)
            QVERIFY(!m_controller->layouts()->at(row, "chosen").toBool());
        QVERIFY(csv().contains(QStringLiteral("\nstep,")));
        QVERIFY(!csv().contains(QStringLiteral("\nranking,")));
        m_controller->takeLayout(0);
        QTRY_VERIFY_WITH_TIMEOUT(
            m_controller->fault().isEmpty() && m_controller->exportJob().figure, 60'000);
    }

    // 127 samples divide otherwise than 128: the best layout of the new job is the answer.
    void anotherJobHasAnotherAnswer() {
        QVERIFY(ranks(ownJob(32)));
        m_controller->form()->set(QStringLiteral("global_batch"), QStringLiteral("127"));
        auto asked = ownJob(32);
        asked.globalBatch = 127;
        const auto found = predict::searchLayouts(app::searchOf(asked, app::RankingSettings{}));
        const double expected = found.value().top.front().prediction.seconds;
        QTRY_VERIFY_WITH_TIMEOUT(m_controller->fault().isEmpty() && m_controller->isReady()
                && m_controller->answer().asked->prediction.seconds == expected,
            60'000);
    }

    // A layout that was chosen among the ranked ones is still the form's when the view comes back.
    void theChosenLayoutIsRemembered() {
        m_controller->form()->set(QStringLiteral("model"), QStringLiteral("llama3-8b"));
        m_controller->form()->set(QStringLiteral("nodes"), QStringLiteral("1"));
        m_controller->setRanked(true);
        const auto isShown = [this] { return m_controller->layouts()->count() > 2; };
        QTRY_VERIFY_WITH_TIMEOUT(isShown() && m_controller->isReady(), 60'000);
        m_controller->toggleTies(0);
        m_controller->takeLayout(1);
        QTRY_VERIFY(m_controller->layouts()->at(1, "chosen").toBool());
        const QJsonObject chosen = m_controller->form()->encoded();
        m_controller = std::make_unique<PredictController>();
        m_controller->setViews(&m_database.views());
        m_controller->setActive(true);
        QTRY_VERIFY_WITH_TIMEOUT(isShown() && m_controller->isReady(), 60'000);
        QVERIFY(!m_controller->layouts()->at(0, "chosen").toBool());
        QCOMPARE(m_controller->form()->encoded(), chosen);
    }

    // Nobody has told the power limit of a GH200.
    void aLimitThatIsNotKnownIsNotKept() {
        auto request = ownJob(32);
        request.cluster = predict::clusterFrom("8xGH200").value();
        QVERIFY(!request.cluster.gpu.powerLimitW);
        QVERIFY(ranks(request));
        QVERIFY(!m_controller->rankingText().contains(QStringLiteral("GH200")));
        m_controller->chooseRanking(QStringLiteral("power"), 2);
        QTRY_VERIFY_WITH_TIMEOUT(!m_controller->isSearching(), 60'000);
        QVERIFY(m_controller->rankingText().contains(QStringLiteral("GH200 is not known")));
    }

    // Other choices of a view of figures leave the form as it is, with what no field tells.
    void otherChoicesLeaveTheForm() {
        m_controller->form()->begin(ownJob(16));
        QTRY_VERIFY(m_controller->isReady());
        m_database.views().openWithShownRuns(Views::Sweep);
        QVERIFY(m_controller->form()->request());
        QCOMPARE(m_controller->form()->request()->model.layers, 16);
        QVERIFY(m_controller->isReady());
    }

    // Numbers of runs are those of their database.
    void theSelectionEndsWithItsDatabase() {
        auto& workspace = m_database.workspace();
        const auto showAll = [&workspace] {
            std::vector<RunId> all;
            for (const Run& run : workspace.runs())
                all.push_back(run.id);
            workspace.setShown(all);
        };
        showAll();
        m_database.views().select({workspace.shownRuns().back().id, 0, std::nullopt, {}});
        QCOMPARE(m_controller->runName(), QStringLiteral("timed"));
        workspace.close();
        QVERIFY(test::opens(workspace, m_database.path()));
        showAll();
        QCOMPARE(m_controller->runName(), QStringLiteral("launched"));
    }

    // The last test: it takes the run away.
    void aRunThatIsRemovedIsNotCompared() {
        for (const Run& run : m_database.workspace().runs()) {
            if (run.name == "timed")
                m_database.workspace().setShown({run.id});
        }
        const RunId timed = m_database.workspace().shownRuns().front().id;
        m_controller->fillFromRun();
        QTRY_VERIFY(m_controller->isComparable());
        m_database.workspace().write(
            [timed](store::Store& store) { return store::removeRun(store, timed, {}); },
            [](const Status&) {});
        QTRY_VERIFY(m_database.workspace().findRun(timed) == nullptr);
        QTRY_VERIFY(m_controller->isReady());
        QVERIFY(!m_controller->isComparable());
    }
};

TRAINSCOPE_GUI_TEST(tst_PredictSearches)
#include "tst_PredictSearches.moc"
