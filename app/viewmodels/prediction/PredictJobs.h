#pragma once
// Jobs of the prediction's view on other threads, as plain values: the answer to a request, its
// details, and the request that a run makes; and the search of all layouts of a job's model on its
// cluster: what they are ranked by and under, how far it is, and what was found, as a table, in the
// GUI thread.

#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "core/figures/prediction/PredictedOverlay.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/RunRequest.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/WhatIf.h"

namespace trainscope::app {

struct PredictQuestion {
    predict::JobRequest request;
    std::vector<plot::PredictedJob> others; // shown beside it
    std::optional<plot::MeasuredStep> measured;
    std::shared_ptr<const predict::RunCalibration> calibration; // none: as shipped
    predict::TrainingAsked training;
};

// The board of the request, or why there is none.
struct PredictAnswer {
    std::shared_ptr<const plot::PredictedJob> asked;
    std::shared_ptr<const plot::PredictionFigureData> board;
    std::string problem;
};
PredictAnswer answerTo(const PredictQuestion& question);

// Details that take longer than an answer.
struct PredictDetails {
    std::shared_ptr<const plot::PredictedJob> of;
    std::vector<predict::WhatIfRow> whatIf;
    std::shared_ptr<const plot::PredictedTracks> tracks; // nullptr: nothing was measured
};
// `measured` may be nullptr. Cancelled by progress.
Result<PredictDetails> detailsOf(std::shared_ptr<const plot::PredictedJob> asked,
    const std::shared_ptr<const figures::MeasuredTracks>& measured,
    const std::shared_ptr<const predict::RunCalibration>& calibration, const Progress& progress);

// The job of a run as it was launched, what it is predicted to take, and what was measured.
struct LaunchedRun {
    RunId run;
    predict::RunRequest asked; // as far as the run tells it
    std::optional<plot::PredictedJob> predicted;
    std::optional<plot::MeasuredStep> measured;
    std::shared_ptr<const figures::MeasuredTracks> tracks; // nullptr: the run is a prediction

    [[nodiscard]] bool isMeasured() const {
        return measured || (tracks && !tracks->tracks.empty());
    }
};
Result<LaunchedRun> launchedRun(const analysis::RunStudy& study,
    const std::shared_ptr<const predict::RunCalibration>& calibration = nullptr);

// As calibrated, or as shipped.
predict::Predictor predictorOf(const std::shared_ptr<const predict::RunCalibration>& calibration);
// "calibrated by 3 measured runs: steps off by 2.1 % (each without itself 4 %)", or why by none.
std::string calibrationWords(const predict::RunCalibration& calibration);

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

// The best of them in their order, with groups of ties (Search.h) and what a training takes on
// each; the chosen one is what the form has. The key of a row is the place among listedLayouts().
// Ties are below the first of their group, where it is unfolded.
TableContent rankedContent(const std::shared_ptr<const predict::SearchResult>& found,
    const std::optional<predict::LayoutChoice>& chosen, const predict::TrainingAsked& training,
    const std::set<std::size_t>& unfolded = {});

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
