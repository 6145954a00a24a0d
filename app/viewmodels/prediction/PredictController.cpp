#include "app/viewmodels/prediction/PredictController.h"

#include "app/viewmodels/prediction/PredictFields.h"
#include "app/viewmodels/text/Texts.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/predict/prediction/PredictedRun.h"
#include "core/predict/prediction/RunRequest.h"

#include <QJsonDocument>

namespace trainscope::app {
namespace {

const QString kFormKey = QStringLiteral("form");
const QString kCalibratedKey = QStringLiteral("calibrated");
const QString kRankedKey = QStringLiteral("ranked");
const QString kRankingKey = QStringLiteral("ranking");

// Parts of the form that a search depends on: all but the layout itself.
QString searchedOf(const PredictForm& form, const RankingSettings& settings) {
    QJsonObject asked = form.encoded();
    for (const QString& key : asked.keys()) {
        if (isOfLayout(key) || isOfAgainst(key) || isOfTraining(key))
            asked.remove(key);
    }
    asked.insert(QStringLiteral("job"), form.beginning());
    asked.insert(QStringLiteral("ranking"), rankingSettings().kept(settings));
    return QString::fromUtf8(QJsonDocument(asked).toJson(QJsonDocument::Compact));
}

} // namespace

PredictController::PredictController(QObject* parent)
    : DrawnView(false, parent) {
    connect(&m_form, &PredictForm::edited, this, [this] {
        m_isEdited = m_isEdited || !m_isFilling;
        keepSettings();
        ask();
    });
    connect(&m_form, &PredictForm::missed, this, &PredictController::missed);
    connect(&m_search, &LayoutSearch::changed, this, &PredictController::rankingChanged);
    connect(&m_search, &LayoutSearch::memoryKnown, this, [this] { pictureChanged(); });
    connect(&m_search, &LayoutSearch::answered, this, [this] {
        m_unfolded.clear();
        takeBest();
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
    m_isEdited = !form.isEmpty();
    if (form != m_form.encoded())
        m_form.restore(form);
    m_isRanked = saved.value(kRankedKey).toBool();
    m_isCalibrated = saved.value(kCalibratedKey).toBool();
    m_rankingSettings = rankingSettings().restored({}, saved.value(kRankingKey).toObject());
    m_ranking.setRows(rankingSettings().rows(m_rankingSettings, {}));
    // Its layout may be another than the best, as it was chosen.
    m_settledKey = m_isEdited ? searchedOf(m_form, m_rankingSettings) : QString();
    m_followed = {};
    Q_EMIT rankingChanged();
    m_isAsked = false;
    load();
}

void PredictController::keepSettings() {
    QJsonObject kept{{kRankedKey, m_isRanked},
        {kRankingKey, rankingSettings().kept(m_rankingSettings)}, {kCalibratedKey, m_isCalibrated}};
    if (m_isEdited)
        kept.insert(kFormKey, m_form.encoded());
    saveSettings(Views::Predict, kept);
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
        m_followed = {};
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
    followRun();
    takeWanted();
}

void PredictController::followRun() {
    const Run* run = chosenRun();
    if (m_isEdited || !isActive() || run == nullptr || run->id == m_followed)
        return;
    readQuietly<LaunchedRun>(
        [run = *run, calibration = m_calibration](
            const store::Store& store, const Progress& progress) {
            return launchedRun({store, run, progress}, calibration);
        },
        [this](LaunchedRun launched) {
            if (m_isEdited)
                return;
            m_followed = launched.run;
            m_isFilling = true;
            takeRun(std::move(launched));
            m_isFilling = false;
        });
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
        search();
        return pictureChanged();
    }
    m_task.ask(
        workspace()->readers(),
        [question = PredictQuestion{*request, m_peers.kept, m_peers.measured, m_calibration,
             m_form.training()}](const store::Store&, const TaskStage<PredictAnswer>&)
            -> Result<PredictAnswer> { return answerTo(question); },
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

QString PredictController::runName() const {
    const Run* run = chosenRun();
    return run != nullptr ? QString::fromStdString(run->name) : QString();
}

void PredictController::takeSelection(const Evidence& evidence) {
    m_selectedRun = evidence.run;
    Q_EMIT runChanged();
    followRun();
    DrawnView::takeSelection(evidence);
}

void PredictController::fillFromRun() {
    if (const Run* run = chosenRun())
        readRun(*run);
}

void PredictController::readRun(const Run& chosen) {
    m_isEdited = true; // a newly chosen run does not replace it
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
        std::move(launched.tracks), std::move(launched.asked.notes),
        textOf(launched.asked.unknownText)};
    if (launched.predicted)
        m_peers.kept.push_back(std::move(*launched.predicted));
    if (!launched.asked.unknown.empty())
        forgetAnswer(); // it would be another job's
    m_form.begin(launched.asked.request, launched.asked.unknown);
}

void PredictController::keep() {
    if (!isKeepable())
        return;
    m_isEdited = true;
    m_peers.kept.push_back(*m_answer.asked);
    m_peers.kept.back().name = plot::jobWords(m_answer.asked->job);
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
    if (!m_answer.asked)
        return {};
    const QString job = QString::fromStdString(plot::jobWords(m_answer.asked->job));
    const QString shown = fault().isEmpty() ? job : QStringLiteral("Shown: %1").arg(job);
    return m_isEdited || m_followed.isValid()
        ? shown
        : QStringLiteral("%1. An example: change it, or choose a run.").arg(shown);
}

void PredictController::setCalibrated(bool calibrated) {
    if (calibrated == m_isCalibrated)
        return;
    m_isCalibrated = calibrated;
    keepSettings();
    if (calibrated) {
        calibrate();
    } else {
        forgetCalibration();
        askAgain();
    }
    Q_EMIT calibrationChanged();
}

void PredictController::forgetCalibration() {
    m_calibrationTask.cancel();
    m_calibration.reset();
    m_calibrationText.clear();
    Q_EMIT calibrationChanged();
}

// Answers go on as shipped until it is there.
void PredictController::calibrate() {
    if (!m_isCalibrated || m_calibration || workspace() == nullptr)
        return;
    m_calibrationText = QStringLiteral("Measured runs are read…");
    m_calibrationTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<predict::RunCalibration>& stage) {
            return predict::calibrationOf(store, stage.progress());
        },
        [this](Result<predict::RunCalibration> found) { takeCalibration(std::move(found)); });
    Q_EMIT calibrationChanged();
}

void PredictController::takeCalibration(Result<predict::RunCalibration> found) {
    if (found.hasValue()) {
        m_calibration = std::make_shared<const predict::RunCalibration>(std::move(found).value());
        m_calibrationText = QString::fromStdString(calibrationWords(*m_calibration));
    } else {
        m_calibrationText = QString::fromStdString(found.error().message);
    }
    askAgain();
    Q_EMIT calibrationChanged();
}

// Results with other constants do not hold any longer.
void PredictController::askAgain() {
    m_search.forget();
    forgetRival();
    ask();
}

namespace {

using plot::PredictionPanel;

// A part of the board by itself.
struct PredictExport {
    const char* title;
    const char* suffix; // end of the file's name
    std::vector<PredictionPanel> panels;
};
const std::vector<PredictExport>& exports() {
    static const std::vector<PredictExport> all{
        {"Decision", "-decision", {plot::kDecisionPanels.begin(), plot::kDecisionPanels.end()}},
        {"Board", "", {plot::kPredictionPanels.begin(), plot::kPredictionPanels.end()}},
        {"Predicted over measured", "-tracks", {PredictionPanel::Tracks}},
    };
    return all;
}

bool hasAny(const plot::PredictionFigureData& data, const PredictExport& one) {
    return std::ranges::any_of(
        one.panels, [&data](PredictionPanel panel) { return data.has(panel); });
}

} // namespace

std::shared_ptr<const plot::PredictionFigureData> PredictController::shown() const {
    if (!m_answer.board)
        return nullptr;
    auto board = std::make_shared<plot::PredictionFigureData>(*m_answer.board);
    board->whatIf = m_details.whatIf;
    board->tracks = m_details.tracks;
    board->rival = m_rival;
    if (isRankingShown()) {
        board->found = m_search.found();
        predict::takeMemory(m_search.memory(), board->whatIf);
    }
    if (m_calibration)
        board->calibration = m_calibrationText.toStdString();
    return board;
}

// The table has the layouts.
figures::Figure PredictController::figure() const {
    std::vector<PredictionPanel> panels(
        plot::kPredictionPanels.begin(), plot::kPredictionPanels.end());
    std::erase(panels, PredictionPanel::Choices);
    return figures::predictionFigure(shown(), std::move(panels));
}

QStringList PredictController::figures() const {
    QStringList titles;
    const auto board = shown();
    for (const PredictExport& one : exports()) {
        if (board && hasAny(*board, one))
            titles.append(textOf(one.title));
    }
    return titles;
}

// Drops parts of another answer, or of a form before, once there are newer ones.
void PredictController::dropOlder(plot::PredictionFigureData& board) const {
    if (m_details.of != m_answer.asked) {
        board.whatIf.clear();
        board.tracks.reset();
    }
    if (m_isRefused || !m_rivalText.isEmpty())
        board.rival.reset();
}

ExportJob PredictController::exportJob() const {
    if (!isReady())
        return {};
    auto data = std::make_shared<plot::PredictionFigureData>(*shown());
    const auto at = std::clamp<qsizetype>(chosenFigure(), 0, figures().size() - 1);
    const auto& one = exports()[static_cast<std::size_t>(at)];
    dropOlder(*data);
    const bool isThere = hasAny(*data, one);
    auto job = exportJobOf(Views::keyOf(Views::Predict) + QLatin1String(one.suffix),
        figures::predictionFigure(std::move(data), one.panels));
    if (!isThere)
        job.figure = nullptr;
    return job;
}

plot::SheetTexts PredictController::texts() const {
    plot::SheetTexts texts = textsOf(m_answer.board);
    texts.notes.insert(texts.notes.begin(), m_peers.notes.begin(), m_peers.notes.end());
    const QString asked = m_search.isRunning() || m_peers.unknown.isEmpty()
        ? m_form.fault()
        : QStringLiteral("%1 Fill in the marked fields%2.")
              .arg(m_peers.unknown,
                  m_form.sought() ? QStringLiteral(", or rank the layouts") : QString());
    texts.emptyText = asked.toStdString();
    return texts;
}

void PredictController::setRanked(bool ranked) {
    if (ranked == m_isRanked)
        return;
    m_isRanked = ranked;
    m_settledKey.clear();
    keepSettings();
    if (ranked)
        search();
    else
        m_search.forget();
    showSearch();
    Q_EMIT rankingChanged();
    pictureChanged();
}

void PredictController::chooseRanking(const QString& key, int choice) {
    const RankingSettings changed = rankingSettings().with(m_rankingSettings, {}, key, choice);
    if (changed == m_rankingSettings)
        return;
    m_rankingSettings = changed;
    m_ranking.setRows(rankingSettings().rows(m_rankingSettings, {}));
    keepSettings();
    search();
    compareClusters();
}

void PredictController::search() {
    const auto& request = m_form.sought();
    if (m_isRanked && workspace() != nullptr && request)
        m_search.ask(workspace()->readers(), searchedOf(m_form, m_rankingSettings),
            searchOf(*request, m_rankingSettings), predictorOf(m_calibration));
}

QString PredictController::rankingText() const {
    const auto& request = m_form.sought();
    if (m_rankingSettings.power == 0 || !request || m_search.text().isEmpty())
        return m_search.text();
    const auto& gpu = request->cluster.gpu;
    const auto capped = searchOf(*request, m_rankingSettings).powerLimitW;
    return capped
        ? QStringLiteral("%1. Each GPU is capped at %2 in the rows, not on the board.")
              .arg(m_search.text(), textOf(text::rounded(*capped / request->cluster.gpus(), "W")))
        : QStringLiteral("%1. The power limit of %2 is not known, so that no share of it is kept.")
              .arg(m_search.text(), textOf(gpu.name));
}

// After a ranking the best layout is the answer, once: another one may be chosen then.
void PredictController::takeBest() {
    const auto& found = m_search.found();
    if (!found || found->top.empty() || m_search.foundKey() == m_settledKey)
        return;
    m_settledKey = m_search.foundKey();
    takeChoice(found->top.front().choice);
}

bool PredictController::isRankingShown() const {
    return m_isRanked && !m_isRefused && m_search.found() && !m_search.isRunning()
        && !m_search.isStopped();
}

std::optional<predict::LayoutChoice> PredictController::chosenLayout() const {
    return m_answer.asked && !m_isRefused ? std::optional(predict::choiceOf(m_answer.asked->job))
                                          : std::nullopt;
}

void PredictController::takeLayout(int row) {
    if (!m_search.found() || !m_layouts.isThere(row))
        return;
    takeChoice(listedAt(row).layout->choice);
}

predict::ListedLayout PredictController::listedAt(int row) const {
    return predict::listedLayouts(
        *m_search.found())[static_cast<std::size_t>(m_layouts.rowAt(row).value_or(0))];
}

void PredictController::toggleTies(int row) {
    if (!m_search.found() || !m_layouts.isThere(row))
        return;
    const std::size_t group = listedAt(row).group;
    if (m_unfolded.erase(group) == 0)
        m_unfolded.insert(group);
    showSearch();
}

void PredictController::takeChoice(const predict::LayoutChoice& choice) {
    if (!m_form.sought())
        return;
    predict::JobRequest request = *m_form.sought();
    request.layout = predict::layoutOf(choice);
    request.microBatch = choice.microBatch;
    request.recompute = choice.recompute;
    request.recomputedLayers = choice.recomputedLayers;
    m_form.takeLayout(request);
}

void PredictController::compareClusters() {
    const auto& request = m_form.request();
    const auto& other = m_form.against();
    if (!other)
        return forgetRival();
    if (workspace() == nullptr || !request)
        return;
    const QString wanted = searchedOf(m_form, m_rankingSettings) + QLatin1Char(' ')
        + QString::fromStdString(predict::textOf(*other));
    if (wanted == m_rivalKey)
        return;
    m_rivalKey = wanted;
    m_rivalText
        = QStringLiteral("Comparing with %1…").arg(QString::fromStdString(predict::textOf(*other)));
    m_rivalTask.ask(
        workspace()->readers(),
        [asked = searchOf(*request, m_rankingSettings), other = *other,
            calibration = m_calibration](
            const store::Store&, const TaskStage<predict::ScaleComparison>& stage) {
            return predict::compareScales(asked, other, predictorOf(calibration), stage.progress());
        },
        [this](const Result<predict::ScaleComparison>& made) {
            m_rival.reset();
            m_rivalText.clear();
            if (made.hasValue())
                m_rival = std::make_shared<const plot::ComparisonData>(
                    figures::scaleData(made.value()));
            else
                m_rivalText = QString::fromStdString(made.error().message);
            Q_EMIT rivalChanged();
            pictureChanged();
        });
    Q_EMIT rivalChanged();
}

void PredictController::stopRival() {
    m_rivalTask.cancel();
    m_rivalText = QStringLiteral("Stopped: the verdict is not that of this form.");
    m_rivalKey.clear();
    Q_EMIT rivalChanged();
}

void PredictController::forgetRival() {
    m_rivalTask.cancel();
    m_rival.reset();
    m_rivalKey.clear();
    m_rivalText.clear();
    Q_EMIT rivalChanged();
}

void PredictController::write(std::function<void(RunId)> show) {
    if (workspace() == nullptr || !m_answer.asked)
        return;
    const std::string name = predict::nameOf(m_answer.asked->job);
    workspace()->write(
        [name, asked = m_answer.asked](store::Store& store) {
            return predict::writePrediction(store, name, asked->job, asked->prediction);
        },
        [self = QPointer(this), this, uuid = workspace()->uuid(), name, asked = m_answer.asked,
            show = std::move(show)](const Status& written) {
            if (!self || views() == nullptr)
                return;
            if (!written.hasValue())
                return views()->report(written.error());
            // Meanwhile it may have been closed, and a run of that name be another's.
            if (workspace() == nullptr || workspace()->uuid() != uuid)
                return;
            for (const Run& run : workspace()->runs()) {
                if (run.name != name)
                    continue;
                m_written = {asked, run.id};
                Q_EMIT stateChanged();
                return show(run.id);
            }
        });
}

void PredictController::openAsRun() {
    write([this](RunId run) {
        workspace()->showBeside({run});
        views()->setView(Views::Timeline);
    });
}

bool PredictController::isWritten() const {
    const Run* run = workspace() != nullptr ? workspace()->findRun(m_written.second) : nullptr;
    if (run == nullptr || !m_answer.asked || !m_written.first)
        return false;
    // A change of the database, as by writing, answers the question anew.
    const predict::Job& job = m_answer.asked->job;
    return run->name == predict::nameOf(job)
        && predict::launchOf(job) == predict::launchOf(m_written.first->job);
}

QString PredictController::comparisonQuestion() const {
    const Run* run = workspace() != nullptr ? workspace()->findRun(m_peers.source) : nullptr;
    if (!isComparable() || run == nullptr)
        return {};
    const predict::Job& job = m_answer.asked->job;
    QStringList sentences;
    if (!m_peers.unknown.isEmpty())
        sentences << QStringLiteral(
            "%1 does not say which job it ran. The prediction is of %2; the "
            "run may have trained another model.")
                         .arg(QString::fromStdString(run->name),
                             QString::fromStdString(job.model.name));
    if (!isWritten())
        sentences << QStringLiteral("To compare it, the prediction is kept in the database as the "
                                    "run “%1”. One of that name is replaced.")
                         .arg(QString::fromStdString(predict::nameOf(job)));
    return sentences.join(QStringLiteral("\n\n"));
}

void PredictController::compareWithMeasured() {
    if (!isComparable())
        return;
    const auto show = [this, measured = m_peers.source](RunId run) {
        workspace()->showOnly({measured, run});
        views()->setView(Views::Compare);
    };
    if (isWritten())
        show(m_written.second);
    else
        write(show);
}

} // namespace trainscope::app
