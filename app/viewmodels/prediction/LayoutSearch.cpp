#include "app/viewmodels/prediction/LayoutSearch.h"

#include "core/figures/prediction/RankedLayouts.h"

#include <utility>

namespace trainscope::app {

void LayoutSearch::ask(ReaderPool& pool, const QString& key, predict::SearchRequest request,
    predict::Predictor predictor) {
    if (key == m_key)
        return;
    m_key = key;
    m_isStopped = false;
    m_progress = -1.0;
    const auto objective = request.objective;
    m_task.ask(
        pool,
        [this, asked = std::move(request), with = std::move(predictor)](
            const store::Store&, const TaskStage<predict::SearchResult>& stage) {
            return predict::searchLayouts(asked, with, stage.telling([this](double fraction) {
                m_progress = fraction;
                Q_EMIT changed();
            }));
        },
        [this, objective](
            Result<predict::SearchResult> found) { take(std::move(found), objective); });
    Q_EMIT changed();
}

void LayoutSearch::take(Result<predict::SearchResult> found, predict::SearchObjective objective) {
    m_offered.clear();
    m_objective = objective;
    if (found.hasValue()) {
        m_found = std::make_shared<const predict::SearchResult>(std::move(found).value());
        m_offered = figures::choicesOfFront(*m_found, objective);
        m_text = QString::fromStdString(figures::searchWords(*m_found));
    } else {
        m_found.reset();
        m_text = QString::fromStdString(found.error().message);
    }
    Q_EMIT changed();
    Q_EMIT answered();
}

void LayoutSearch::stop() {
    if (!m_task.isRunning())
        return;
    m_task.cancel();
    m_key.clear();
    m_isStopped = true;
    Q_EMIT changed();
}

void LayoutSearch::forget() {
    m_task.cancel();
    m_key.clear();
    m_text.clear();
    m_isStopped = false;
    m_found.reset();
    m_offered.clear();
    Q_EMIT changed();
}

} // namespace trainscope::app
