#include "app/viewmodels/prediction/PredictController.h"

#include "app/viewmodels/text/HumanText.h"
#include "core/figures/prediction/RankedLayouts.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

const QString kFormKey = QStringLiteral("form");
const QString kRankedKey = QStringLiteral("ranked");
const QString kRankingKey = QStringLiteral("ranking");

} // namespace

PredictController::PredictController(QObject* parent)
    : DrawnView(false, parent) {
    connect(&m_form, &PredictForm::edited, this, [this] {
        keepSettings();
        ask();
    });
    m_ranking.setRows(rankingRows(m_rankingSettings));
}

PredictController::~PredictController() {
    m_task.cancel();
    m_searchTask.cancel();
}

void PredictController::restore() {
    const QJsonObject saved = savedSettings(Views::Predict);
    m_form.restore(saved.value(kFormKey).toObject());
    m_isRanked = saved.value(kRankedKey).toBool();
    m_rankingSettings = decodeRanking(saved.value(kRankingKey).toObject());
    m_ranking.setRows(rankingRows(m_rankingSettings));
    Q_EMIT rankingChanged();
    m_isAsked = false;
    load();
}

void PredictController::keepSettings() {
    saveSettings(Views::Predict,
        {{kFormKey, m_form.encoded()}, {kRankedKey, m_isRanked},
            {kRankingKey, encodeRanking(m_rankingSettings)}});
}

// What is kept does not depend on the runs of the database.
void PredictController::forget() {
    m_task.cancel();
    m_isAsked = false;
    const std::string uuid = workspace() != nullptr ? workspace()->uuid() : std::string();
    if (std::exchange(m_uuid, uuid) != uuid) {
        m_answer = {};
        m_kept.clear();
        m_measured.reset();
        m_runNotes.clear();
        forgetSearch();
    }
    Q_EMIT runChanged();
    pictureChanged();
}

void PredictController::load() {
    Q_EMIT runChanged();
    if (workspace() != nullptr && isActive() && !m_isAsked)
        ask();
}

void PredictController::ask() {
    const auto& request = m_form.request();
    if (workspace() == nullptr)
        return;
    m_isAsked = true;
    if (!request) {
        m_task.cancel();
        if (!m_form.hasModel()) {
            m_answer = {};
            forgetSearch();
        }
        return pictureChanged();
    }
    m_task.ask(
        workspace()->readers(),
        [question = PredictQuestion{*request, m_kept, m_measured}](
            const store::Store&, const TaskStage<PredictAnswer>&) -> Result<PredictAnswer> {
            return answerTo(question);
        },
        [this](Result<PredictAnswer> answer) {
            if (answer.hasValue())
                take(std::move(answer).value());
            else if (views() != nullptr)
                views()->report(answer.error());
        });
}

void PredictController::take(PredictAnswer answer) {
    if (answer.board) {
        m_answer = std::move(answer);
        m_form.showFault({});
        showSearch();
    } else {
        m_form.showFault(QString::fromStdString(answer.problem));
    }
    search(); // which does not depend on the layout, so that another one can be found
    pictureChanged();
}

const Run* PredictController::chosenRun() const {
    if (workspace() == nullptr)
        return nullptr;
    const auto& shown = workspace()->shownRuns();
    const auto selected = std::find_if(
        shown.begin(), shown.end(), [this](const auto& run) { return run.id == m_selectedRun; });
    if (shown.empty())
        return nullptr;
    return workspace()->findRun(selected == shown.end() ? shown.front().id : selected->id);
}

QString PredictController::runName() const {
    const Run* run = chosenRun();
    return run != nullptr ? QString::fromStdString(run->name) : QString();
}

void PredictController::takeSelection(const Evidence& evidence) {
    m_selectedRun = evidence.run;
    Q_EMIT runChanged();
    DrawnView::takeSelection(evidence);
}

void PredictController::fillFromRun() {
    const Run* run = chosenRun();
    if (run == nullptr)
        return;
    read<LaunchedRun>(
        {},
        [run = *run](const store::Store& store, const Progress& progress) {
            return launchedRun(store, run, progress);
        },
        [this](LaunchedRun launched) { takeRun(std::move(launched)); });
}

void PredictController::takeRun(LaunchedRun launched) {
    m_kept.clear();
    if (launched.predicted)
        m_kept.push_back(std::move(*launched.predicted));
    m_measured = std::move(launched.measured);
    m_runNotes = std::move(launched.made.notes);
    m_form.begin(launched.made.request);
}

bool PredictController::isKeepable() const {
    return m_answer.asked && keptCount() < kMostKept;
}

void PredictController::keep() {
    if (!isKeepable())
        return;
    m_kept.push_back(*m_answer.asked);
    m_kept.back().name = figures::jobWords(m_kept.back().job);
    ask();
}

void PredictController::forgetKept() {
    m_kept.clear();
    m_measured.reset();
    m_runNotes.clear();
    ask();
}

QString PredictController::verdict() const {
    return m_answer.asked ? QString::fromStdString(figures::jobWords(m_answer.asked->job))
                          : QString();
}

QString PredictController::emptyText() const {
    if (!isAtRest() || isReady())
        return {};
    return m_form.hasModel() ? m_form.fault()
                             : tr("Choose a model, or take the job of a run, to predict its step, "
                                  "memory, power and heat.");
}

QString PredictController::title() const {
    return m_answer.board ? QString::fromStdString(m_answer.board->title) : QString();
}

QString PredictController::caption() const {
    return m_answer.board ? QString::fromStdString(m_answer.board->caption) : QString();
}

QString PredictController::notes() const {
    auto notes = m_runNotes;
    if (m_answer.board)
        notes.insert(notes.end(), m_answer.board->notes.begin(), m_answer.board->notes.end());
    return linesOf(notes);
}

figures::Figure PredictController::figure() const {
    if (!m_found || m_found->feasible.empty())
        return figures::predictionFigure(m_answer.board);
    auto board = std::make_shared<plot::PredictionFigureData>(*m_answer.board);
    board->front = figures::frontOf(
        *m_found, m_rankingSettings.objective, predict::choiceOf(m_answer.asked->job));
    return figures::predictionFigure(board);
}

ExportJob PredictController::exportJob() const {
    return isReady() ? exportJobOf(Views::keyOf(Views::Predict), figure()) : ExportJob();
}

} // namespace trainscope::app
