// The search of the prediction's view, and its answers as runs of the database.
#include "app/viewmodels/prediction/PredictController.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/workspace/ShownRuns.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/model/Try.h"
#include "core/predict/prediction/PredictedRun.h"

#include <QJsonDocument>

#include <utility>

namespace trainscope::app {
namespace {

// What of the form a search depends on: all but the layout itself.
QString searchedOf(const PredictForm& form, const RankingSettings& settings) {
    QJsonObject asked = form.encoded();
    for (const char* key : {"tp", "pp", "cp", "ep", "vpp", "sharding", "micro_batch", "recompute"})
        asked.remove(QLatin1String(key));
    asked.insert(QStringLiteral("ranking"), encodeRanking(settings));
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
        forgetSearch();
    Q_EMIT rankingChanged();
    pictureChanged();
}

void PredictController::chooseRanking(const QString& key, int choice) {
    const RankingSettings changed = withRanking(m_rankingSettings, key, choice);
    if (changed == m_rankingSettings)
        return;
    m_rankingSettings = changed;
    m_ranking.setRows(rankingRows(m_rankingSettings));
    keepSettings();
    search();
}

void PredictController::search() {
    const auto& request = m_form.request();
    if (!m_isRanked || workspace() == nullptr || !request)
        return;
    const QString wanted = searchedOf(m_form, m_rankingSettings);
    if (wanted == m_searched)
        return;
    m_searched = wanted;
    m_isSearching = true;
    m_searchTask.ask(
        workspace()->readers(),
        [asked = searchOf(*request, m_rankingSettings)](
            const store::Store&, const TaskStage<predict::SearchResult>& stage) {
            return predict::searchLayouts(asked, predict::Predictor(), stage.progress());
        },
        [this](Result<predict::SearchResult> found) { takeSearch(std::move(found)); });
    Q_EMIT rankingChanged();
}

void PredictController::takeSearch(Result<predict::SearchResult> found) {
    m_isSearching = false;
    if (found.hasValue()) {
        m_found = std::make_shared<const predict::SearchResult>(std::move(found).value());
        m_rankingText = QString::fromStdString(figures::searchWords(*m_found));
    } else {
        m_found.reset();
        m_rankingText = QString::fromStdString(found.error().message);
    }
    showSearch();
    Q_EMIT rankingChanged();
    pictureChanged();
}

void PredictController::showSearch() {
    if (!m_found)
        return m_layouts.clear();
    std::optional<predict::LayoutChoice> chosen;
    if (m_answer.asked)
        chosen = predict::choiceOf(m_answer.asked->job);
    m_layouts.show(*m_found, chosen);
}

void PredictController::forgetSearch() {
    m_searchTask.cancel();
    m_isSearching = false;
    m_found.reset();
    m_searched.clear();
    m_rankingText.clear();
    m_layouts.clear();
    Q_EMIT rankingChanged();
}

void PredictController::takeLayout(int row) {
    if (!m_found || !m_form.request() || !m_layouts.isThere(row))
        return;
    const predict::LayoutChoice& choice = m_found->top[static_cast<std::size_t>(row)].choice;
    predict::JobRequest request = *m_form.request();
    request.layout = predict::layoutOf(choice);
    request.microBatch = choice.microBatch;
    request.recompute = choice.recompute;
    request.recomputedLayers = choice.recomputedLayers;
    m_form.takeLayout(request);
}

void PredictController::write(std::function<void(RunId)> show) {
    if (workspace() == nullptr || !m_answer.asked)
        return;
    const std::string name = predict::nameOf(m_answer.asked->job);
    workspace()->write(
        [name, asked = m_answer.asked](store::Store& store) {
            return predict::writePrediction(store, name, asked->job, asked->prediction);
        },
        [this, name, show = std::move(show)](const Status& written) {
            if (!written.hasValue()) {
                if (views() != nullptr)
                    views()->report(written.error());
                return;
            }
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
    write([this, measured = m_measured->run](RunId run) {
        showOnly(*workspace(), {measured, run});
        views()->setView(Views::Compare);
    });
}

} // namespace trainscope::app
