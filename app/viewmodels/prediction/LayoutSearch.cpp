#include "app/viewmodels/prediction/LayoutSearch.h"

#include "core/plot/prediction/PredictionWords.h"

#include <utility>

namespace trainscope::app {

void LayoutSearch::ask(ReaderPool& pool, const QString& key, const predict::SearchRequest& request,
    const predict::Predictor& predictor) {
    if (key == m_key)
        return;
    m_key = key;
    m_memoryTask.cancel();
    m_isStopped = false;
    m_progress = -1.0;
    m_task.ask(
        pool,
        [this, request, predictor](
            const store::Store&, const TaskStage<predict::SearchResult>& stage) {
            return predict::searchLayouts(
                request, predictor, stage.telling([this](double fraction) {
                    m_progress = fraction;
                    Q_EMIT changed();
                }));
        },
        [this, &pool, request, predictor](Result<predict::SearchResult> found) {
            m_memory = {};
            if (found.hasValue() && !found.value().top.empty())
                askMemory(pool, request, predictor);
            take(std::move(found));
        });
    Q_EMIT changed();
}

// With what was found shown already.
void LayoutSearch::askMemory(
    ReaderPool& pool, const predict::SearchRequest& request, const predict::Predictor& predictor) {
    m_memoryTask.ask(
        pool,
        [request, predictor](const store::Store&, const TaskStage<predict::WhatIfRow>& stage) {
            return predict::memoryWhatIf(request, predictor, stage.progress());
        },
        [this](Result<predict::WhatIfRow> row) {
            if (row.hasValue())
                m_memory = std::move(row).value();
            Q_EMIT memoryKnown();
        });
}

void LayoutSearch::take(Result<predict::SearchResult> found) {
    m_foundKey = m_key;
    if (found.hasValue()) {
        m_found = std::make_shared<const predict::SearchResult>(std::move(found).value());
        m_text = QString::fromStdString(plot::searchWords(*m_found));
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
    m_memoryTask.cancel();
    m_memory = {};
    m_key.clear();
    m_foundKey.clear();
    m_text.clear();
    m_isStopped = false;
    m_found.reset();
    Q_EMIT changed();
}

} // namespace trainscope::app
