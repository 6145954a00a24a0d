#include "app/viewmodels/prediction/PredictController.h"

#include "app/viewmodels/text/HumanText.h"
#include "core/figures/prediction/RankedLayouts.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

const QString kFormKey = QStringLiteral("form");
const QString kCalibratedKey = QStringLiteral("calibrated");
const QString kRankedKey = QStringLiteral("ranked");
const QString kRankingKey = QStringLiteral("ranking");
const QString kWhatIfKey = QStringLiteral("whatIf");

} // namespace

PredictController::PredictController(QObject* parent)
    : DrawnView(false, parent) {
    connect(&m_form, &PredictForm::edited, this, [this] {
        keepSettings();
        ask();
    });
    connect(&m_search, &LayoutSearch::changed, this, &PredictController::rankingChanged);
    connect(&m_search, &LayoutSearch::answered, this, [this] {
        showSearch();
        pictureChanged();
    });
    connect(this, &DatabaseView::viewsChanged, this, [this] {
        if (views() != nullptr)
            connect(views(), &Views::predictionWanted, this, &PredictController::takeWanted);
    });
    m_ranking.setRows(rankingSettings().rows(m_rankingSettings, {}));
}

PredictController::~PredictController() {
    m_task.cancel();
    m_detailsTask.cancel();
    m_rivalTask.cancel();
    m_calibrationTask.cancel();
}

void PredictController::restore() {
    const QJsonObject saved = savedSettings(Views::Predict);
    const QJsonObject form = saved.value(kFormKey).toObject();
    // It does not hold what no field tells of a job: the same form goes on.
    if (form != m_form.encoded())
        m_form.restore(form);
    m_isRanked = saved.value(kRankedKey).toBool();
    m_hasWhatIf = saved.value(kWhatIfKey).toBool(true);
    m_isCalibrated = saved.value(kCalibratedKey).toBool();
    m_rankingSettings = rankingSettings().restored({}, saved.value(kRankingKey).toObject());
    m_ranking.setRows(rankingSettings().rows(m_rankingSettings, {}));
    Q_EMIT rankingChanged();
    m_isAsked = false;
    load();
}

void PredictController::keepSettings() {
    saveSettings(Views::Predict,
        {{kFormKey, m_form.encoded()}, {kRankedKey, m_isRanked}, {kWhatIfKey, m_hasWhatIf},
            {kRankingKey, rankingSettings().kept(m_rankingSettings)},
            {kCalibratedKey, m_isCalibrated}});
}

// Kept predictions do not depend on the runs of the database.
void PredictController::forget() {
    m_task.cancel();
    m_isAsked = false;
    m_detailsTask.cancel();
    forgetCalibration();
    const std::string uuid = workspace() != nullptr ? workspace()->uuid() : std::string();
    if (std::exchange(m_uuid, uuid) != uuid) {
        m_peers = {};
        m_selectedRun = {};
        forgetSelection();
        forgetAnswer();
    }
    // Another run may get the number of one that was removed.
    if (workspace() == nullptr || workspace()->findRun(m_peers.source) == nullptr)
        m_peers.source = {};
    Q_EMIT runChanged();
    pictureChanged();
}

void PredictController::forgetAnswer() {
    m_answer = {};
    m_isRefused = false;
    forgetDetails();
    m_search.forget();
    m_layouts.show({});
    forgetRival();
}

void PredictController::forgetDetails() {
    m_detailsTask.cancel();
    m_details = {};
}

void PredictController::load() {
    Q_EMIT runChanged();
    if (workspace() != nullptr && isActive() && !m_isAsked) {
        calibrate();
        ask();
    }
    takeWanted();
}

void PredictController::takeWanted() {
    if (workspace() == nullptr || !isActive())
        return;
    if (const auto wanted = views()->takeToPredict()) {
        if (const Run* run = workspace()->findRun(*wanted))
            readRun(*run);
    }
}

void PredictController::ask() {
    const auto& request = m_form.request();
    if (workspace() == nullptr)
        return;
    m_isAsked = true;
    if (!request) {
        m_task.cancel();
        if (!m_form.hasModel())
            forgetAnswer();
        return pictureChanged();
    }
    m_task.ask(
        workspace()->readers(),
        [question = PredictQuestion{*request, m_peers.kept, m_peers.measured, m_calibration}](
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
    m_isRefused = answer.board == nullptr;
    if (m_isRefused) {
        m_form.showFault(QString::fromStdString(answer.problem));
    } else {
        m_answer = std::move(answer);
        m_form.showFault({});
        askDetails();
    }
    showSearch();
    // Neither depends on the layout, so that another one can be found.
    search();
    compareClusters();
    pictureChanged();
}

// Details of the answer before stay until then, so that nothing jumps while a slider moves.
void PredictController::askDetails() {
    m_detailsTask.ask(
        workspace()->readers(),
        [asked = m_answer.asked, measured = m_peers.tracks, calibration = m_calibration](
            const store::Store&, const TaskStage<PredictDetails>& stage) {
            return detailsOf(asked, measured, calibration, stage.progress());
        },
        [this](Result<PredictDetails> details) {
            m_details = details.hasValue() ? std::move(details).value() : PredictDetails();
            pictureChanged();
        });
}

void PredictController::setWhatIf(bool shown) {
    if (shown == m_hasWhatIf)
        return;
    m_hasWhatIf = shown;
    keepSettings();
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
    if (const Run* run = chosenRun())
        readRun(*run);
}

void PredictController::readRun(const Run& chosen) {
    read<LaunchedRun>(
        {},
        [run = chosen, calibration = m_calibration](
            const store::Store& store, const Progress& progress) {
            return launchedRun({store, run, progress}, calibration);
        },
        [this](LaunchedRun launched) { takeRun(std::move(launched)); });
}

void PredictController::takeRun(LaunchedRun launched) {
    forgetDetails();
    m_peers = {{}, launched.isMeasured() ? launched.run : RunId(), std::move(launched.measured),
        std::move(launched.tracks), std::move(launched.notes)};
    if (launched.predicted)
        m_peers.kept.push_back(std::move(*launched.predicted));
    if (launched.request)
        return m_form.begin(*launched.request);
    // The form has what the run does not say.
    if (const Run* run = workspace()->findRun(launched.run))
        m_form.takeMachine(*run);
    ask();
}

bool PredictController::isKeepable() const {
    return m_answer.asked && keptCount() < kMostKept;
}

void PredictController::keep() {
    if (!isKeepable())
        return;
    m_peers.kept.push_back(*m_answer.asked);
    m_peers.kept.back().name = figures::jobWords(m_answer.asked->job);
    ask();
}

void PredictController::forgetKept() {
    const PredictPeers was = std::exchange(m_peers, {});
    forgetDetails();
    ask();
    views()->offerUndo(QStringLiteral("The board was cleared."), this, [this, was] {
        m_peers = was;
        forgetDetails();
        ask();
    });
}

QString PredictController::verdict() const {
    return m_answer.asked ? QString::fromStdString(figures::jobWords(m_answer.asked->job))
                          : QString();
}

QString PredictController::emptyText() const {
    if (!isAtRest() || isReady())
        return {};
    if (m_form.hasModel())
        return m_form.fault();
    if (!m_peers.notes.empty())
        return QStringLiteral(
            "%1 Choose what is missing in the form: what was measured will stand beside it.")
            .arg(linesOf(m_peers.notes));
    return QStringLiteral(
        "Choose a model, or take the job of a run, to predict its step, memory, power and "
        "heat.");
}

} // namespace trainscope::app
