#pragma once
// Jobs of the prediction's view on reader threads: the answer to a request, its details, and the
// request that a run makes. Plain values.

#include "core/analysis/RunStudy.h"
#include "core/figures/prediction/PredictedOverlay.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/RunRequest.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
    std::optional<predict::JobRequest> request; // absent: the run does not say enough
    std::vector<std::string> notes; // facts that it does not state, with their substitutes
    std::optional<plot::PredictedJob> predicted;
    std::optional<plot::MeasuredStep> measured;
    std::shared_ptr<const figures::MeasuredTracks> tracks; // nullptr: the run is a prediction

    [[nodiscard]] bool isMeasured() const {
        return measured || (tracks && !tracks->tracks.empty());
    }
};
// Missing facts of a run are an error only where nothing was measured either.
Result<LaunchedRun> launchedRun(const analysis::RunStudy& study,
    const std::shared_ptr<const predict::RunCalibration>& calibration = nullptr);

// As calibrated, or as shipped.
predict::Predictor predictorOf(const std::shared_ptr<const predict::RunCalibration>& calibration);
// "calibrated by 3 measured runs: steps off by 2.1 % (each without itself 4 %)", or why by none.
std::string calibrationWords(const predict::RunCalibration& calibration);

} // namespace trainscope::app
