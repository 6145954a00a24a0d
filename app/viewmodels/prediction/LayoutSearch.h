#pragma once
// The search of all layouts of a job's model on its cluster: what they are ranked by and under, how
// far it is, and what was found, as a table. GUI thread.

#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/WhatIf.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <variant>

namespace trainscope::app {

// Settings of a search beside the job's model, cluster and batch.
struct RankingSettings {
    predict::SearchObjective objective = predict::SearchObjective::Time;
    int memory = 0; // index of the choice
    int power = 0;
    bool operator==(const RankingSettings&) const = default;
};
// Nothing but themselves says what they offer.
using RankingSettingList = SettingList<RankingSettings, std::monostate>;
const RankingSettingList& rankingSettings();
predict::SearchRequest searchOf(
    const predict::JobRequest& request, const RankingSettings& settings);

// The best of them in their order, with groups of ties (Ties.h) and what a training takes on each;
// the chosen one is what the form has. The row of a table is that of listedLayouts().
TableContent rankedContent(const std::shared_ptr<const predict::SearchResult>& found,
    const std::optional<predict::LayoutChoice>& chosen, const predict::TrainingAsked& training);

class LayoutSearch : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    // `key`: tells searches apart; the same as before is not searched again.
    void ask(ReaderPool& pool, const QString& key, const predict::SearchRequest& request,
        const predict::Predictor& predictor);
    // Keeps what was found before.
    void stop();
    void forget();

    [[nodiscard]] bool isRunning() const { return m_task.isRunning(); }
    [[nodiscard]] bool isStopped() const { return m_isStopped; }
    [[nodiscard]] double progress() const { return m_progress; } // 0..1; −1: not known
    [[nodiscard]] const QString& text() const { return m_text; } // result, or reason for none
    // nullptr: nothing was found yet.
    [[nodiscard]] const std::shared_ptr<const predict::SearchResult>& found() const {
        return m_found;
    }
    // The key of what was found.
    [[nodiscard]] const QString& foundKey() const { return m_foundKey; }
    // The best with other memory, which follows what was found; without points: not known yet.
    [[nodiscard]] const predict::WhatIfRow& memory() const { return m_memory; }

Q_SIGNALS:
    void changed();
    void answered(); // and found() is another
    void memoryKnown();

private:
    void take(Result<predict::SearchResult> found);
    void askMemory(ReaderPool& pool, const predict::SearchRequest& request,
        const predict::Predictor& predictor);

    Task<predict::SearchResult> m_task{Urgency::Background};
    Task<predict::WhatIfRow> m_memoryTask{Urgency::Background};
    QString m_key;
    QString m_foundKey;
    predict::WhatIfRow m_memory;
    QString m_text;
    double m_progress = -1.0;
    bool m_isStopped = false;
    std::shared_ptr<const predict::SearchResult> m_found;
};

} // namespace trainscope::app
