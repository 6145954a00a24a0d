// The Predict view: answers against the predictor's own, runs as jobs, what is kept and said.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/support/LaunchedDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/predict/search/Search.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::PredictController;
using app::Views;

class tst_PredictController : public QObject {
    Q_OBJECT

    test::OpenDatabase m_database;
    std::unique_ptr<PredictController> m_controller;

    void makeController() {
        m_controller = std::make_unique<PredictController>();
        m_controller->setViews(&m_database.views());
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
    // The example, or the job of the chosen run, may be answered before.
    bool isAnswered(const char* model) {
        return QTest::qWaitFor([&] { return isReadyWith(model); });
    }
    [[nodiscard]] bool isReadyWith(const char* model) const {
        return m_controller->isReady() && m_controller->answer().asked->job.model.name == model;
    }
    void showRun(const char* name) {
        for (const Run& run : m_database.workspace().runs()) {
            if (run.name == name)
                m_database.workspace().setShown({run.id});
        }
    }
    bool fillFrom(const char* name) {
        showRun(name);
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
    [[nodiscard]] double seconds() const { return board().asked->prediction.seconds; }
    [[nodiscard]] int beside() const { return static_cast<int>(board().others.size()); }

private Q_SLOTS:
    void initTestCase() { QVERIFY(m_database.make(test::writeLaunched)); }
    void init() {
        QVERIFY(m_database.open());
        makeController();
    }
    void cleanup() {
        m_controller.reset();
        m_database.close();
    }

    // The job of the run that is shown is the form's.
    void opensWithTheJobOfTheChosenRun() {
        showRun("launched");
        QTRY_VERIFY(
            m_controller->isReady() && m_controller->answer().asked->job.model.name == "gpt3-175b");
        QCOMPARE(m_controller->answer().asked->job.gpus(), 32);
        QCOMPARE(seconds(), predicted(launched()).seconds);
        QVERIFY(!m_controller->verdict().contains(QStringLiteral("example")));
        // Another run is chosen: its job, until the form is changed.
        showRun("timed");
        QTRY_VERIFY(m_controller->isComparable());
        QVERIFY(set("global_batch", "64"));
        showRun("launched");
        QTRY_COMPARE(m_controller->answer().asked->job.globalBatch, 64);
        QVERIFY(m_controller->isComparable());
    }

    // A run that says nothing leaves the fields empty, and one sentence names them all. Nothing of
    // another model stands in their place.
    void whatARunDoesNotSayIsAskedFor() {
        QSignalSpy missed(m_controller->form(), &app::PredictForm::missed);
        showRun("silent");
        QTRY_VERIFY(m_controller->emptyText().contains(QStringLiteral("silent")));
        QCOMPARE(m_controller->errorText(), QString());
        QCOMPARE(m_controller->emptyText(),
            QStringLiteral("silent does not say its model, its layout, its micro-batch, its "
                           "global batch and its sequence length, as a prediction needs. Fill in "
                           "the marked fields."));
        QVERIFY(!m_controller->isReady());
        QCOMPARE(missed.size(), 1);
        QCOMPARE(missed.front().front().toInt(), 0); // the model
        for (const auto& [key, text] :
            {std::pair{"model", "llama3-8b"}, std::pair{"gpu", "H100 SXM5"},
                std::pair{"global_batch", "16"}, std::pair{"sequence", "2048"}})
            m_controller->form()->set(QLatin1String(key), QLatin1String(text));
        QVERIFY(m_controller->emptyText().endsWith(
            QStringLiteral("Fill in the marked fields, or rank the layouts.")));
        // The layout needs nobody to say it.
        m_controller->setRanked(true);
        QTRY_VERIFY_WITH_TIMEOUT(isReadyWith("llama3-8b"), 60'000);
        QCOMPARE(m_controller->answer().asked->job.gpus(), 2);
        QCOMPARE(m_controller->answer().asked->job.globalBatch, 16);
    }

    // 1T tokens at the rate of all GPUs.
    void theTrainingIsTold() {
        QVERIFY(set("model", "llama3-8b"));
        const auto cardOf = [this](const char* key) {
            for (const auto& card : plot::predictedCards(
                     board().asked->job, board().asked->prediction, board().training)) {
                if (card.key == key)
                    return std::optional(card);
            }
            return std::optional<plot::PredictedCard>();
        };
        QVERIFY(isAnswered("llama3-8b"));
        QVERIFY(cardOf("training_time"));
        const auto& made = m_controller->answer().asked->prediction;
        const double time = 1e12 / (32.0 * made.tokensPerSecondPerGpu);
        QVERIFY(std::abs(cardOf("training_time")->value.value / time - 1.0) < 1e-9);
        QVERIFY(cardOf("memory_headroom"));
        QVERIFY(reasonsOf(*m_controller->shown()).front().starts_with("1T tokens take "));
        m_controller->form()->set(QStringLiteral("tokens"), QString());
        QTRY_VERIFY(!cardOf("training_time"));
    }

    void answersAsThePredictorDoes() {
        for (const auto& [key, text] : {std::pair{"gpu", "H200 SXM"}, std::pair{"tp", "8"},
                 std::pair{"pp", "4"}, std::pair{"global_batch", "128"},
                 std::pair{"sequence", "2048"}, std::pair{"model", "gpt3-175b"}})
            m_controller->form()->set(QLatin1String(key), QLatin1String(text));
        const auto made = predicted(launched());
        QTRY_VERIFY(m_controller->isReady() && seconds() == made.seconds);
        QCOMPARE(beside(), 0);
        QCOMPARE(board().asked->prediction.low, made.low);
        QCOMPARE(board().asked->prediction.high, made.high);
        QCOMPARE(board().asked->prediction.memory.size(), std::size_t{4});
        QVERIFY(m_controller->verdict().startsWith(QStringLiteral("32 × H200 SXM, TP 8 · PP 4")));
        QVERIFY(m_controller->exportJob().figure);
    }

    // The last answer stays, and the reason is beside the field.
    void whatCannotBeIsSaid() {
        QVERIFY(set("tp", "4")); // DP 2
        QVERIFY(set("model", "gpt3-175b"));
        QTRY_VERIFY(
            m_controller->isReady() && m_controller->answer().asked->job.model.name == "gpt3-175b");
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
        const auto made = predicted(launched());
        QTRY_VERIFY(m_controller->isReady() && seconds() == made.seconds);
        // The run as it was launched stays beside every change.
        QVERIFY(set("tp", "4"));
        QTRY_COMPARE(m_controller->answer().asked->job.layout.grid.degrees().tensor, 4);
        QCOMPARE(beside(), 1);
        QCOMPARE(board().others.front().prediction.seconds, made.seconds);
        QVERIFY(board().others.front().name.starts_with("as launched"));
        auto changed = launched();
        changed.layout.tensor = 4;
        QCOMPARE(seconds(), predicted(changed).seconds);
    }

    void keptAnswersStay() {
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
        m_controller->keep();
        QVERIFY(answers());
        QVERIFY(set("tp", "4"));
        QTRY_COMPARE(m_controller->answer().asked->job.layout.grid.degrees().tensor, 4);
        QCOMPARE(beside(), 1);
        for (int i = 1; i < PredictController::kMostKept; ++i)
            m_controller->keep();
        QVERIFY(!m_controller->isKeepable());
        std::function<void()> undo;
        connect(&m_database.views(), &Views::undoOffered, this,
            [&undo](const QString&, const std::function<void()>& offered) { undo = offered; });
        m_controller->forgetKept();
        QCOMPARE(m_controller->keptCount(), 0);
        QTRY_COMPARE(beside(), 0);
        QVERIFY(undo);
        undo();
        QCOMPARE(m_controller->keptCount(), PredictController::kMostKept);
        QTRY_COMPARE(beside(), PredictController::kMostKept);
    }

    void lowerLimitsTakeLonger() {
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
        const double usual = seconds();
        m_controller->form()->slide(QStringLiteral("power_limit"), 350.0);
        QTRY_VERIFY(seconds() > usual);
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
        QVERIFY(m_controller->layouts()->at(0, "name").toString().endsWith(
            QString::fromStdString(plot::choiceWords(best.choice))));
        // TP 8 and PP 4 do not fit on 16 GPUs; the best layout is the answer without a click.
        QTRY_VERIFY(m_controller->isReady() && seconds() == best.prediction.seconds);
        QTRY_VERIFY(m_controller->layouts()->at(0, "chosen").toBool());
        QVERIFY(m_controller->layouts()->at(0, "strong").toBool());
        QVERIFY(!m_controller->layouts()->at(1, "strong").toBool());
        QVERIFY(m_controller->shown()->found->top.front().choice == best.choice);
        // With other memory the best then follows.
        const auto hasOtherBest = [this] {
            const auto rows = m_controller->shown()->whatIf;
            return std::any_of(rows.begin(), rows.end(), [](const predict::WhatIfRow& row) {
                return row.what == predict::WhatIf::MemorySize && !row.points.empty()
                    && row.points.back().best.has_value();
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasOtherBest(), 60'000);
        // Another layout may be chosen, and stays. The ties of the best are folded into its row.
        m_controller->takeLayout(1);
        const auto listed = predict::listedLayouts(found.value());
        const auto second = std::ranges::find_if(
            listed, [](const auto& layout) { return layout.isFirst && layout.group == 2; });
        QVERIFY(second != listed.end());
        QTRY_COMPARE(seconds(), second->layout->prediction.seconds);
        QTRY_VERIFY(m_controller->layouts()->at(1, "chosen").toBool());
        QVERIFY(m_controller->layouts()->at(0, "strong").toBool());
        m_controller->chooseRanking(QStringLiteral("objective"), 1);
        QVERIFY(m_controller->isSearching());
        QTRY_VERIFY_WITH_TIMEOUT(!m_controller->isSearching(), 60'000);
        QVERIFY(m_controller->rankingText().contains(QStringLiteral("possible")));
        m_controller->setRanked(false);
        QCOMPARE(m_controller->layouts()->count(), 0);
    }

    void theAnswerBecomesARun() {
        QVERIFY(fillFrom("launched"));
        QVERIFY(isAnswered("gpt3-175b"));
        QVERIFY(!m_controller->isComparable()); // it has no iterations
        const std::size_t before = m_database.workspace().runs().size();
        m_controller->openAsRun();
        QTRY_COMPARE_WITH_TIMEOUT(m_database.workspace().runs().size(), before + 1, 60'000);
        QTRY_COMPARE(m_database.views().view(), Views::Timeline);
        const auto& runs = m_database.workspace().runs();
        const auto written = std::find_if(runs.begin(), runs.end(),
            [](const Run& run) { return run.kind == RunKind::Predicted; });
        QVERIFY(written != runs.end());
        QCOMPARE(written->gpuCount, 32);
        QTRY_COMPARE(m_database.workspace().shownRuns().size(), std::size_t{2});
        QVERIFY(m_controller->isReady());
    }

    void theDatabaseClosesWhileARunIsWritten() {
        QVERIFY(fillFrom("launched"));
        QTRY_VERIFY(m_controller->isReady());
        const auto changed = [this] { return std::filesystem::last_write_time(m_database.path()); };
        const auto before = changed();
        QSignalSpy told(&m_database.views(), &Views::viewChanged);
        m_controller->openAsRun();
        m_database.workspace().close();
        const std::string log = m_database.path().string() + "-wal";
        QTRY_VERIFY_WITH_TIMEOUT(changed() > before && !std::filesystem::exists(log), 60'000);
        QVERIFY(test::settles(m_database.workspace())); // the write is answered
        QVERIFY(told.empty());
        QVERIFY(!m_database.workspace().isOpen());
    }

    // Measured tracks stand below the predicted ones, and the tracks can be exported by themselves.
    void predictedOverMeasured() {
        QVERIFY(fillFrom("timed"));
        QTRY_VERIFY(m_controller->isReady() && m_controller->shown()->tracks != nullptr);
        QVERIFY(m_controller->isComparable());
        QVERIFY(!m_controller->comparisonQuestion().contains(QStringLiteral("does not say")));
        QCOMPARE(board().measured->seconds, 10.0);
        const auto& power = m_controller->shown()->tracks->tracks.front();
        QCOMPARE(power.axis.metric, std::string(metric::kGpuPower));
        QCOMPARE(power.measured.mean.front(), 600.0F);
        const int at = static_cast<int>(
            m_controller->figures().indexOf(QStringLiteral("Predicted over measured")));
        QVERIFY(at > 0);
        m_controller->setFigure(at);
        QVERIFY(m_controller->exportJob().name.endsWith(QStringLiteral("-tracks")));
        m_controller->forgetKept();
        QTRY_VERIFY(!m_controller->isComparable() && m_controller->shown()->tracks == nullptr);
    }

    // A log of GPUs says no job: its machine goes into the form, and what was measured stands
    // beside what is chosen there.
    void aLogStandsBesideWhatIsChosen() {
        QVERIFY(fillFrom("logged"));
        QCOMPARE(m_controller->errorText(), QString());
        QTRY_VERIFY(m_controller->emptyText().contains(QStringLiteral("logged does not say")));
        for (const auto& [key, text] : {std::pair{"tp", "1"}, std::pair{"pp", "1"},
                 std::pair{"cp", "1"}, std::pair{"ep", "1"}, std::pair{"micro_batch", "1"},
                 std::pair{"global_batch", "128"}, std::pair{"sequence", "4096"}})
            m_controller->form()->set(QLatin1String(key), QLatin1String(text));
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
        QTRY_VERIFY(m_controller->shown()->tracks != nullptr);
        QCOMPARE(m_controller->answer().asked->job.machine.gpu.name, std::string("H200 SXM"));
        QCOMPARE(m_controller->answer().asked->job.gpus(), 32);
        QVERIFY(m_controller->isComparable());
        QCOMPARE(board().measured->seconds, 10.0);
        // The run's model is not known, and nothing is written before the user agrees.
        const QString question = m_controller->comparisonQuestion();
        VERIFY_SAYS(question,
            "logged does not say which job it ran. The "
            "prediction is of llama3-8b");
        QVERIFY(question.contains(QStringLiteral("kept in the database as the run “predicted: ")));
        const std::size_t before = m_database.workspace().runs().size();
        m_controller->compareWithMeasured();
        QTRY_COMPARE_WITH_TIMEOUT(m_database.views().view(), Views::Compare, 60'000);
        QCOMPARE(m_database.workspace().runs().size(), before + 1);
        QCOMPARE(m_database.workspace().shownRuns().size(), std::size_t{2});
        // Once it is kept, the model alone is asked; it is not written again.
        QVERIFY(!m_controller->comparisonQuestion().contains(QStringLiteral("kept")));
        const auto changed = std::filesystem::last_write_time(m_database.path());
        m_controller->compareWithMeasured();
        QVERIFY(test::settles(m_database.workspace()));
        QCOMPARE(std::filesystem::last_write_time(m_database.path()), changed);
        // Another answer is another prediction.
        QVERIFY(set("global_batch", "64"));
        QTRY_VERIFY(m_controller->comparisonQuestion().contains(QStringLiteral("kept")));
    }

    void whatElseWouldDo() {
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
        QTRY_VERIFY(!m_controller->shown()->whatIf.empty());
        const auto all = predict::whatIfsOf(m_controller->answer().asked->job).value();
        QTRY_COMPARE(m_controller->shown()->whatIf.front().points.front().made.seconds,
            all.front().points.front().made.seconds);
    }

    // One page, of the best layout.
    void theDecisionIsAPage() {
        QVERIFY(set("nodes", "1"));
        QVERIFY(set("model", "llama3-8b"));
        m_controller->setRanked(true);
        // The best layout is in the form, and answered.
        QTRY_VERIFY_WITH_TIMEOUT(m_controller->isReady() && m_controller->layouts()->count() > 2
                && m_controller->answer().asked->job.model.name == "llama3-8b"
                && !m_controller->isLoading(),
            60'000);
        const int at
            = static_cast<int>(m_controller->figures().indexOf(QStringLiteral("Decision")));
        QVERIFY(at >= 0);
        m_controller->setFigure(at);
        const auto job = m_controller->exportJob();
        QVERIFY(job.name.endsWith(QStringLiteral("-decision")));
        figures::Request request;
        const auto figure = job.figure(request, {});
        QVERIFY(figure.hasValue());
        plot::FigureStyle style;
        style.theme = plot::findTheme("paper");
        style.measure = app::measureWith(*style.theme);
        style.width = 567.0; // points of 200 mm
        const auto picture = figure.value().draw(style);
        QVERIFY(picture.areas.size() >= 4);
        QVERIFY(picture.scene.height < 1.414 * style.width);
    }

    void searchesAreStopped() {
        QVERIFY(set("nodes", "64"));
        QVERIFY(set("model", "llama3-70b"));
        m_controller->setRanked(true);
        QVERIFY(m_controller->isSearching());
        m_controller->stopSearch();
        QVERIFY(!m_controller->isSearching());
        QVERIFY(m_controller->isSearchStopped());
        QCOMPARE(m_controller->layouts()->count(), 0);
        m_controller->searchAgain();
        QTRY_VERIFY_WITH_TIMEOUT(m_controller->layouts()->count() > 2, 60'000);
        QVERIFY(!m_controller->isSearchStopped());
    }

    void anotherClusterIsJudged() {
        QVERIFY(set("nodes", "1"));
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(set("pp", "1"));
        m_controller->form()->set(QStringLiteral("against_gpu"), QStringLiteral("H200 SXM"));
        QVERIFY(m_controller->form()->against());
        QCOMPARE(m_controller->form()->against()->gpus(), 8); // 4.5 have the memory
        QTRY_VERIFY_WITH_TIMEOUT(
            m_controller->isReady() && m_controller->shown()->rival != nullptr, 60'000);
        const auto expected = predict::compareScales(
            app::searchOf(*m_controller->form()->request(), app::RankingSettings{}),
            *m_controller->form()->against());
        QCOMPARE(
            m_controller->shown()->rival->verdict->headline, expected.value().verdict.headline);
        m_controller->form()->set(QStringLiteral("against_nodes"), QStringLiteral("x"));
        QVERIFY(!m_controller->fault().isEmpty());
        m_controller->form()->set(QStringLiteral("against_gpu"), QStringLiteral("nothing"));
        QTRY_VERIFY(m_controller->shown()->rival == nullptr);
    }

    // From the list of runs.
    void aRunIsPredictedFromElsewhere() {
        m_database.views().predictRun(QStringLiteral("launched"));
        QCOMPARE(m_database.views().view(), Views::Predict);
        QVERIFY(isAnswered("gpt3-175b"));
        QTRY_VERIFY(!m_controller->isLoading());
        QCOMPARE(m_controller->answer().asked->job.gpus(), 32);
        // A view that is made or shown later takes it then.
        m_controller->setActive(false);
        m_database.views().predictRun(QStringLiteral("timed"));
        QVERIFY(!m_controller->isLoading());
        m_controller->setActive(true);
        QTRY_VERIFY(m_controller->isComparable());
    }

    void theFormIsRemembered() {
        QVERIFY(set("model", "mixtral-8x7b"));
        QVERIFY(isAnswered("mixtral-8x7b"));
        makeController();
        QVERIFY(isAnswered("mixtral-8x7b"));
        QVERIFY(m_controller->title().contains(QStringLiteral("mixtral-8x7b")));
    }
};

TRAINSCOPE_GUI_TEST(tst_PredictController)
#include "tst_PredictController.moc"
