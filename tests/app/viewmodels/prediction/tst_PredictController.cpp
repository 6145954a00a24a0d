// The Predict view: answers against the predictor's own, runs as jobs, what is kept and said.

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/support/LaunchedDatabase.h"
#include "app/viewmodels/support/OpenDatabase.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/predict/search/Ties.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

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
        return QTest::qWaitFor([&] {
            return m_controller->isReady() && m_controller->answer().asked->job.model.name == model;
        });
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
    // The middle of what is called so, in the picture as it is drawn.
    std::optional<QPointF> placeOf(const std::string& title) {
        const auto& theme = plot::lightTheme();
        const auto scene = m_controller->draw(theme, app::measureWith(theme), 900.0, 600.0);
        if (!scene)
            return std::nullopt;
        for (double y = 0.0; y < scene->height; y += 3.0) {
            for (double x = 0.0; x < 900.0; x += 3.0) {
                m_controller->hoverAt(x, y);
                if (m_controller->hoverTitle().toStdString() == title)
                    return m_controller->hovered().center();
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] const plot::PredictionFigureData& board() const {
        return *m_controller->answer().board;
    }

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
        QCOMPARE(board().steps.back().seconds.value, predicted(launched()).seconds);
        QVERIFY(!m_controller->verdict().contains(QStringLiteral("example")));
        // Another run is chosen: its job, until the form is changed.
        showRun("timed");
        QTRY_VERIFY(m_controller->isComparable());
        QVERIFY(set("global_batch", "64"));
        showRun("launched");
        QTRY_COMPARE(m_controller->answer().asked->job.globalBatch, 64);
        QVERIFY(m_controller->isComparable());
    }

    // A run that says nothing leaves an example, which says that it is one.
    void opensWithAnExample() {
        showRun("silent");
        QTRY_VERIFY(
            m_controller->isReady() && m_controller->notes().contains(QStringLiteral("silent")));
        QCOMPARE(m_controller->errorText(), QString());
        QCOMPARE(m_controller->emptyText(), QString());
        QVERIFY(m_controller->title().contains(QStringLiteral("llama3-70b")));
        QVERIFY(m_controller->verdict().contains(QStringLiteral("An example")));
        QVERIFY(set("tp", "4"));
        QVERIFY(!m_controller->verdict().contains(QStringLiteral("An example")));
    }

    // 1T tokens at the rate of all GPUs; the price is nobody's until it is typed.
    void theTrainingIsTold() {
        QVERIFY(set("model", "llama3-8b"));
        const auto cardOf = [this](const char* key) {
            for (const auto& card : board().cards) {
                if (card.key == key)
                    return std::optional(card);
            }
            return std::optional<plot::PredictedCard>();
        };
        QVERIFY(isAnswered("llama3-8b"));
        QVERIFY(cardOf("training_time"));
        const auto& made = m_controller->answer().asked->prediction;
        const double seconds = 1e12 / (32.0 * made.tokensPerSecondPerGpu);
        QVERIFY(std::abs(cardOf("training_time")->value.value / seconds - 1.0) < 1e-9);
        QVERIFY(cardOf("memory_headroom"));
        QVERIFY(!cardOf("training_cost"));
        m_controller->form()->set(QStringLiteral("price_gpu_hour"), QStringLiteral("3"));
        QTRY_VERIFY(cardOf("training_cost"));
        QVERIFY(
            std::abs(cardOf("training_cost")->value.value / (3.0 * 32.0 * seconds / 3600.0) - 1.0)
            < 1e-9);
        QVERIFY(m_controller->shown()->decision->reasons.front().starts_with("1T tokens take "));
        m_controller->form()->set(QStringLiteral("tokens"), QString());
        m_controller->form()->set(QStringLiteral("price_gpu_hour"), QString());
        QTRY_VERIFY(!cardOf("training_time"));
    }

    void answersAsThePredictorDoes() {
        for (const auto& [key, text] : {std::pair{"gpu", "H200 SXM"}, std::pair{"tp", "8"},
                 std::pair{"pp", "4"}, std::pair{"global_batch", "128"},
                 std::pair{"sequence", "2048"}, std::pair{"model", "gpt3-175b"}})
            m_controller->form()->set(QLatin1String(key), QLatin1String(text));
        const auto made = predicted(launched());
        QTRY_VERIFY(m_controller->isReady() && board().steps.back().seconds.value == made.seconds);
        QCOMPARE(board().steps.size(), std::size_t{1});
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
        QTRY_VERIFY(m_controller->isReady() && board().steps.back().seconds.value == made.seconds);
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
    }

    void keptAnswersStay() {
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
        m_controller->keep();
        QVERIFY(answers());
        QVERIFY(set("tp", "4"));
        QTRY_COMPARE(m_controller->answer().asked->job.layout.grid.degrees().tensor, 4);
        QCOMPARE(board().steps.size(), std::size_t{2});
        for (int i = 1; i < PredictController::kMostKept; ++i)
            m_controller->keep();
        QVERIFY(!m_controller->isKeepable());
        std::function<void()> undo;
        connect(&m_database.views(), &Views::undoOffered, this,
            [&undo](const QString&, const std::function<void()>& offered) { undo = offered; });
        m_controller->forgetKept();
        QCOMPARE(m_controller->keptCount(), 0);
        QTRY_COMPARE(board().steps.size(), std::size_t{1});
        QVERIFY(undo);
        undo();
        QCOMPARE(m_controller->keptCount(), PredictController::kMostKept);
        QTRY_COMPARE(board().steps.size(), std::size_t{PredictController::kMostKept} + 1);
    }

    void lowerLimitsTakeLonger() {
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
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
        QCOMPARE(m_controller->layouts()->at(0, "name").toString(),
            QString::fromStdString(figures::choiceBrief(best.choice)));
        // TP 8 and PP 4 do not fit on 16 GPUs; the best layout is the answer without a click.
        QTRY_VERIFY(m_controller->isReady()
            && board().steps.back().seconds.value == best.prediction.seconds);
        QTRY_VERIFY(m_controller->layouts()->at(0, "chosen").toBool());
        QVERIFY(m_controller->layouts()->at(0, "strong").toBool());
        QVERIFY(!m_controller->layouts()->at(1, "strong").toBool());
        const auto decision = *m_controller->shown()->decision;
        QVERIFY(decision.answer == figures::choiceWords(best.choice));
        QVERIFY(decision.choices.rows.front().isStrong);
        // With other memory the best then follows.
        QTRY_VERIFY_WITH_TIMEOUT(
            m_controller->shown()->decision->changes.caption.find("other memory")
                != std::string::npos,
            60'000);
        // Another layout may be chosen, and stays.
        m_controller->takeLayout(1);
        const auto listed = predict::listedLayouts(found.value());
        QTRY_COMPARE(board().steps.back().seconds.value, listed[1].layout->prediction.seconds);
        QTRY_VERIFY(m_controller->layouts()->at(1, "chosen").toBool());
        QVERIFY(m_controller->layouts()->at(0, "strong").toBool());
        // By energy: the last of the energy front is the one that takes least.
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
        QCOMPARE(board().steps.front().seconds.value, 10.0);
        QVERIFY(board().steps.front().isMeasured);
        const auto& power = m_controller->shown()->tracks->tracks.front();
        QCOMPARE(power.axis.metric, std::string(metric::kGpuPower));
        QCOMPARE(power.measured.mean.front(), 600.0F);
        const int at = static_cast<int>(
            m_controller->figureTitles().indexOf(QStringLiteral("Predicted over measured")));
        QVERIFY(at > 0);
        m_controller->setFigureIndex(at);
        QVERIFY(m_controller->exportJob().name.endsWith(QStringLiteral("-tracks")));
        m_controller->forgetKept();
        QTRY_VERIFY(!m_controller->isComparable() && m_controller->shown()->tracks == nullptr);
    }

    // A log of GPUs says no job: its machine goes into the form, and what was measured stands
    // beside what is chosen there.
    void aLogStandsBesideWhatIsChosen() {
        QVERIFY(fillFrom("logged"));
        QCOMPARE(m_controller->errorText(), QString());
        QTRY_VERIFY2(
            m_controller->isReady() && m_controller->notes().contains(QStringLiteral("logged")),
            qPrintable(m_controller->notes()));
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(isAnswered("llama3-8b"));
        QTRY_VERIFY(m_controller->shown()->tracks != nullptr);
        QCOMPARE(m_controller->answer().asked->job.machine.gpu.name, std::string("H200 SXM"));
        QCOMPARE(m_controller->answer().asked->job.gpus(), 32);
        QVERIFY(m_controller->isComparable());
        QCOMPARE(board().steps.front().seconds.value, 10.0);
        // The run's model is not known, and nothing is written before the user agrees.
        const QString question = m_controller->comparisonQuestion();
        QVERIFY2(question.contains(QStringLiteral("logged does not say which job it ran. The "
                                                  "prediction is of llama3-8b")),
            qPrintable(question));
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
        QTRY_VERIFY(!m_controller->shown()->sensitivities.empty());
        const auto all = predict::sensitivitiesOf(m_controller->answer().asked->job).value();
        QTRY_COMPARE(m_controller->shown()->sensitivities.front().changes.front().rate.value,
            all.front().points.front().tokensPerSecondPerGpu);
        m_controller->setWhatIf(false);
        QVERIFY(m_controller->shown()->sensitivities.empty());
        makeController();
        QVERIFY(!m_controller->hasWhatIf());
    }

    // A click on a point of the picture takes its layout into the form; arrows only go there, and
    // Enter takes it.
    void pointsGoIntoTheForm() {
        QVERIFY(set("nodes", "1"));
        QVERIFY(set("model", "llama3-8b"));
        QVERIFY(set("pp", "1"));
        m_controller->setRanked(true);
        QTRY_VERIFY_WITH_TIMEOUT(
            m_controller->isReady() && m_controller->layouts()->count() > 2, 60'000);
        QTRY_VERIFY(!m_controller->shown()->sensitivities.empty()); // the picture is whole
        const auto points = m_controller->shown()->front.points;
        const auto other = std::find_if(points.begin(), points.end(),
            [](const auto& point) { return point.isOnFront && !point.isChosen; });
        QVERIFY(other != points.end());
        const std::string name = other->name;
        const auto place = placeOf(name);
        QVERIFY(place);
        m_controller->clickAt(place->x(), place->y());
        const auto chosen = [this] {
            return figures::choiceWords(predict::choiceOf(m_controller->answer().asked->job));
        };
        QTRY_COMPARE(chosen(), name);
        QVERIFY(placeOf(name));
        QCOMPARE(m_controller->selectedTitle().toStdString(), name);
        QVERIFY(m_controller->step(1, 0));
        const std::string next = m_controller->selectedTitle().toStdString();
        QVERIFY(next != name);
        QCOMPARE(chosen(), name);
        QVERIFY(!m_controller->openText().isEmpty());
        m_controller->openSelected();
        QTRY_COMPARE(chosen(), next);
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
            = static_cast<int>(m_controller->figureTitles().indexOf(QStringLiteral("Decision")));
        QVERIFY(at >= 0);
        m_controller->setFigureIndex(at);
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
