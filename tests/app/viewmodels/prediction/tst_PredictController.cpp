// The Predict view: answers against the predictor's own, runs as jobs, what is kept and said.

#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/support/LaunchedDatabase.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace trainscope;
using app::PredictController;
using app::Views;

class tst_PredictController : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<Views> m_views;
    std::unique_ptr<PredictController> m_controller;

    void makeController() {
        m_controller = std::make_unique<PredictController>();
        m_controller->setViews(m_views.get());
        m_controller->setActive(true);
    }
    bool answers() {
        QSignalSpy changed(m_controller.get(), &PredictController::repaintNeeded);
        return changed.wait();
    }
    bool set(const char* key, const char* text) {
        QSignalSpy changed(m_controller.get(), &PredictController::repaintNeeded);
        m_controller->form()->set(QLatin1String(key), QLatin1String(text));
        return !changed.empty() || changed.wait();
    }
    bool fillFrom(const char* name) {
        for (const Run& run : m_workspace->runs()) {
            if (run.name == name)
                m_workspace->setShown({run.id});
        }
        m_controller->fillFromRun();
        return QTest::qWaitFor([this] { return !m_controller->isLoading(); });
    }
    [[nodiscard]] static predict::JobRequest launched() {
        predict::JobRequest request;
        request.model = *catalogue::modelCatalogue().byName("gpt3-175b");
        request.cluster = predict::clusterFrom("4x8xH200").value();
        request.layout = predict::layoutFrom("tp=8,pp=4").value();
        request.globalBatch = 128;
        request.sequence = 2048;
        return request;
    }
    static predict::Prediction predicted(const predict::JobRequest& request) {
        return predict::Predictor().predict(predict::jobOf(request).value()).value();
    }
    [[nodiscard]] const plot::PredictionFigureData& board() const {
        return *m_controller->answer().board;
    }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("XDG_STATE_HOME", m_folder.path().toLocal8Bit());
        qputenv("XDG_CONFIG_HOME", m_folder.path().toLocal8Bit());
        m_path = test::writeLaunched(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
    }
    void init() {
        QDir(app::viewFolder()).removeRecursively();
        m_workspace = std::make_unique<app::Workspace>();
        QVERIFY(test::opens(*m_workspace, m_path));
        m_views = std::make_unique<Views>();
        m_views->setWorkspace(m_workspace.get());
        makeController();
    }
    void cleanup() {
        m_controller.reset();
        m_views.reset();
        m_workspace.reset();
    }

    void saysWhatToDoFirst() {
        QVERIFY(!m_controller->isReady());
        QVERIFY(m_controller->emptyText().startsWith(QStringLiteral("Choose a model")));
        QVERIFY(!m_controller->isKeepable());
        QVERIFY(!m_controller->exportJob().figure);
    }

    void answersAsThePredictorDoes() {
        for (const auto& [key, text] : {std::pair{"gpu", "H200 SXM"}, std::pair{"tp", "8"},
                 std::pair{"pp", "4"}, std::pair{"global_batch", "128"},
                 std::pair{"sequence", "2048"}, std::pair{"model", "gpt3-175b"}})
            m_controller->form()->set(QLatin1String(key), QLatin1String(text));
        QTRY_VERIFY(m_controller->isReady());
        const auto made = predicted(launched());
        QCOMPARE(board().steps.size(), std::size_t{1});
        QCOMPARE(board().steps.back().seconds.value, made.seconds);
        QCOMPARE(board().steps.back().seconds.low.value(), made.low);
        QCOMPARE(board().steps.back().seconds.high.value(), made.high);
        QCOMPARE(board().stages.size(), std::size_t{4});
        QCOMPARE(board().stages.front().total(), made.memory.front().total());
        QCOMPARE(board().capacityB, made.capacityB);
        double parts = 0.0;
        for (const auto& part : board().steps.back().parts)
            parts += part.value;
        QVERIFY(std::abs(parts - made.step.seconds) < 1e-9 * parts);
        QVERIFY(m_controller->verdict().startsWith(QStringLiteral("32 × H200 SXM, TP 8 · PP 4")));
        QVERIFY(m_controller->exportJob().figure);
    }

    // The last answer stays, and the reason is beside the field.
    void whatCannotBeIsSaid() {
        QVERIFY(set("tp", "4")); // DP 2
        QVERIFY(set("model", "gpt3-175b"));
        QTRY_VERIFY(m_controller->isReady());
        const auto before = m_controller->answer().board;
        QVERIFY(set("global_batch", "127"));
        QTRY_VERIFY(!m_controller->fault().isEmpty());
        QVERIFY(m_controller->fault().contains(QStringLiteral("127")));
        QCOMPARE(m_controller->answer().board, before);
        QVERIFY(set("global_batch", "256"));
        QTRY_VERIFY(m_controller->fault().isEmpty());
        QTRY_VERIFY(m_controller->answer().board != before);
    }

    void theNewestChangeWins() {
        QVERIFY(set("model", "llama3-8b"));
        for (int batch = 128; batch <= 128 * 40; batch += 128)
            m_controller->form()->set(QStringLiteral("global_batch"), QString::number(batch));
        QTRY_VERIFY(m_controller->answer().asked
            && m_controller->answer().asked->job.globalBatch == 128 * 40);
    }

    void aRunIsAJob() {
        QVERIFY(fillFrom("launched"));
        QCOMPARE(m_controller->errorText(), QString());
        QTRY_VERIFY(m_controller->isReady());
        const auto made = predicted(launched());
        QCOMPARE(board().steps.back().seconds.value, made.seconds);
        // The run as it was launched stays beside every change.
        QVERIFY(set("tp", "4"));
        QTRY_COMPARE(m_controller->answer().asked->job.layout.grid.degrees().tensor, 4);
        QCOMPARE(board().steps.size(), std::size_t{2});
        QCOMPARE(board().steps.front().seconds.value, made.seconds);
        QVERIFY(board().steps.front().name.starts_with("as launched"));
        auto changed = launched();
        changed.layout.tensor = 4;
        QCOMPARE(board().steps.back().seconds.value, predicted(changed).seconds);
    }

    void aRunThatSaysNothingIsRefusedInWords() {
        QVERIFY(fillFrom("silent"));
        QVERIFY(!m_controller->errorText().isEmpty());
        QVERIFY(!m_controller->form()->hasModel());
    }

    void keptAnswersStay() {
        QVERIFY(set("model", "llama3-8b"));
        QTRY_VERIFY(m_controller->isKeepable());
        m_controller->keep();
        QVERIFY(answers());
        QVERIFY(set("tp", "4"));
        QTRY_COMPARE(m_controller->answer().asked->job.layout.grid.degrees().tensor, 4);
        QCOMPARE(board().steps.size(), std::size_t{2});
        for (int i = 1; i < PredictController::kMostKept; ++i)
            m_controller->keep();
        QVERIFY(!m_controller->isKeepable());
        m_controller->forgetKept();
        QCOMPARE(m_controller->keptCount(), 0);
        QTRY_COMPARE(board().steps.size(), std::size_t{1});
    }

    void lowerLimitsTakeLonger() {
        QVERIFY(set("model", "llama3-70b"));
        QTRY_VERIFY(m_controller->isReady());
        const double usual = board().steps.back().seconds.value;
        m_controller->form()->slide(QStringLiteral("power_limit"), 350.0);
        QTRY_VERIFY(board().steps.back().seconds.value > usual);
        QVERIFY(m_controller->answer().asked->prediction.outlook.peakW <= 350.0 * 1.001);
    }

    // The best by each objective is the least of all that are listed, and below the limits.
    void layoutsAreRanked() {
        QVERIFY(set("gpu", "H200 SXM"));
        QVERIFY(set("nodes", "2"));
        QVERIFY(set("model", "llama3-70b"));
        m_controller->setRanked(true);
        QTRY_VERIFY_WITH_TIMEOUT(m_controller->layouts()->count() > 2, 60'000);
        const auto found = predict::searchLayouts(
            app::searchOf(*m_controller->form()->request(), app::RankingSettings{}));
        QVERIFY(found.hasValue());
        const auto& best = found.value().top.front();
        QCOMPARE(m_controller->layouts()->rows().front().name,
            QString::fromStdString(figures::choiceWords(best.choice)));
        QVERIFY(!m_controller->isReady()); // TP 8 and PP 4 do not fit on 16 GPUs
        m_controller->takeLayout(0);
        QTRY_VERIFY(m_controller->isReady());
        QTRY_COMPARE(board().steps.back().seconds.value, best.prediction.seconds);
        QVERIFY(m_controller->layouts()->rows().front().isChosen);
        // By energy: the last of the energy front is the one that takes least.
        m_controller->chooseRanking(QStringLiteral("objective"), 1);
        QVERIFY(m_controller->isSearching());
        QTRY_VERIFY_WITH_TIMEOUT(!m_controller->isSearching(), 60'000);
        QVERIFY(m_controller->rankingText().contains(QStringLiteral("layouts can be")));
        m_controller->setRanked(false);
        QCOMPARE(m_controller->layouts()->count(), 0);
    }

    // Half of the memory and of the power.
    void limitsAreShares() {
        auto request = launched();
        const auto plain = app::searchOf(request, {});
        QCOMPARE(plain.memoryShare, 1.0);
        QVERIFY(!plain.powerLimitW);
        QCOMPARE(plain.globalBatch, 128);
        QCOMPARE(plain.sequence, 2048);
        const auto limited = app::searchOf(request, {predict::SearchObjective::PeakPower, 3, 4});
        QCOMPARE(limited.memoryShare, 0.8);
        QCOMPARE(limited.powerLimitW.value(), 0.6 * 700.0 * 32.0);
        const app::RankingSettings chosen{predict::SearchObjective::Energy, 2, 1};
        QCOMPARE(app::decodeRanking(app::encodeRanking(chosen)), chosen);
        QCOMPARE(app::withRanking(chosen, QStringLiteral("memory"), 99), chosen);
    }

    void theAnswerBecomesARun() {
        QVERIFY(fillFrom("launched"));
        QTRY_VERIFY(m_controller->isReady());
        QVERIFY(!m_controller->isComparable()); // it has no iterations
        const std::size_t before = m_workspace->runs().size();
        m_controller->openAsRun();
        QTRY_COMPARE_WITH_TIMEOUT(m_workspace->runs().size(), before + 1, 60'000);
        QTRY_COMPARE(m_views->view(), Views::Timeline);
        const auto& runs = m_workspace->runs();
        const auto written = std::find_if(runs.begin(), runs.end(),
            [](const Run& run) { return run.kind == RunKind::Predicted; });
        QVERIFY(written != runs.end());
        QCOMPARE(written->gpuCount, 32);
        QCOMPARE(m_workspace->shownRuns().size(), std::size_t{2});
        QVERIFY(m_controller->isReady());
    }

    void theFormIsRemembered() {
        QVERIFY(set("model", "mixtral-8x7b"));
        QTRY_VERIFY(m_controller->isReady());
        makeController();
        QTRY_VERIFY(m_controller->isReady());
        QVERIFY(m_controller->title().contains(QStringLiteral("mixtral-8x7b")));
    }
};

TRAINSCOPE_GUI_TEST(tst_PredictController)
#include "tst_PredictController.moc"
