// The searches of the prediction's view, and its answers as runs of the database.
#include "app/viewmodels/prediction/PredictAgainst.h"
#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/workspace/ShownRuns.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/figures/prediction/ScaleFigure.h"
#include "core/model/Try.h"
#include "core/predict/prediction/PredictedRun.h"

#include <QJsonDocument>
#include <QPointer>

#include <utility>

namespace trainscope::app {
namespace {

// Parts of the form that a search depends on: all but the layout itself.
QString searchedOf(const PredictForm& form, const RankingSettings& settings) {
    QJsonObject asked = form.encoded();
    for (const QString& key : asked.keys()) {
        if (isOfLayout(key) || isOfAgainst(key))
            asked.remove(key);
    }
    asked.insert(QStringLiteral("job"), form.beginning());
    asked.insert(QStringLiteral("ranking"), rankingSettings().kept(settings));
    return QString::fromUtf8(QJsonDocument(asked).toJson(QJsonDocument::Compact));
}

} // namespace

void PredictController::setRanked(bool ranked) {
    if (ranked == m_isRanked)
        return;
    m_isRanked = ranked;
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
    const auto& request = m_form.request();
    if (m_isRanked && workspace() != nullptr && request)
        m_search.ask(workspace()->readers(), searchedOf(m_form, m_rankingSettings),
            searchOf(*request, m_rankingSettings), predictorOf(m_calibration));
}

QString PredictController::rankingText() const {
    const auto& request = m_form.request();
    const bool isKept
        = m_rankingSettings.power == 0 || !request || request->cluster.gpu.powerLimitW.has_value();
    if (isKept || m_search.text().isEmpty())
        return m_search.text();
    return QStringLiteral("%1. The power limit of %2 is not known, so that no share of it is kept.")
        .arg(m_search.text(), QString::fromStdString(request->cluster.gpu.name));
}

void PredictController::showSearch() {
    m_layouts.show(rankedContent(
        m_search.found() ? *m_search.found() : predict::SearchResult(), chosenLayout()));
}

std::optional<predict::LayoutChoice> PredictController::chosenLayout() const {
    return m_answer.asked && !m_isRefused ? std::optional(predict::choiceOf(m_answer.asked->job))
                                          : std::nullopt;
}

void PredictController::takeLayout(int row) {
    if (m_search.found() && m_layouts.isThere(row))
        takeChoice(m_search.found()->top[static_cast<std::size_t>(row)].choice);
}

void PredictController::chooseOffered(std::size_t choice) {
    if (choice < m_search.offered().size())
        takeChoice(m_search.offered()[choice]);
}

void PredictController::takeChoice(const predict::LayoutChoice& choice) {
    if (!m_form.request())
        return;
    predict::JobRequest request = *m_form.request();
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
        [self = QPointer(this), this, uuid = workspace()->uuid(), name, show = std::move(show)](
            const Status& written) {
            if (!self || views() == nullptr)
                return;
            if (!written.hasValue())
                return views()->report(written.error());
            // Meanwhile it may have been closed, and a run of that name be another's.
            if (workspace() == nullptr || workspace()->uuid() != uuid)
                return;
            for (const Run& run : workspace()->runs()) {
                if (run.name == name)
                    return show(run.id);
            }
        });
}

void PredictController::openAsRun() {
    write([this](RunId run) {
        showBeside(*workspace(), {run});
        views()->setView(Views::Timeline);
    });
}

void PredictController::compareWithMeasured() {
    if (!isComparable())
        return;
    write([this, measured = m_peers.source](RunId run) {
        showOnly(*workspace(), {measured, run});
        views()->setView(Views::Compare);
    });
}

} // namespace trainscope::app
