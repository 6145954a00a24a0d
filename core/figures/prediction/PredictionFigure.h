#pragma once
// Predictions as figures: what has been predicted in words and plain values, and the kinds that
// predict the job of a run as it was launched, or changed, or one by hand.

#include "core/analysis/RunStudy.h"
#include "core/figures/Figure.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Sensitivity.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::figures {

struct PredictedJob {
    std::string name;
    predict::Job job;
    predict::Prediction prediction;
};

// A run whose step was measured.
struct MeasuredStep {
    RunId run;
    std::string name;
    double seconds = 0.0;
};

// Predictions that one board shows.
struct PredictionBoardFacts {
    PredictedJob asked;
    std::vector<PredictedJob> others; // beside it, in their order
    std::optional<MeasuredStep> measured;
    std::vector<predict::Sensitivity> sensitivities = {};
    std::shared_ptr<const plot::PredictedTracks> tracks = {};
    predict::TrainingAsked training = {};
};

// Absent where nothing tells the iterations of the run. Any thread that owns the store.
Result<std::optional<MeasuredStep>> measuredStepOf(const analysis::RunStudy& study);

// Without candidates of a search.
plot::PredictionFigureData predictionData(const PredictionBoardFacts& facts);

std::vector<plot::PredictedSensitivity> sensitivitiesShown(
    const std::vector<predict::Sensitivity>& sensitivities);

// "32 × H200 SXM, TP 8 · PP 4 · DP 1".
std::string jobWords(const predict::Job& job);
// "TP 8 · PP 4 · DP 1, micro-batch 2".
std::string layoutWords(const predict::Job& job);
// "GEMM", "Tensor parallel, exposed".
std::string_view titleOf(predict::StepPart part);

// All but the ranked layouts, which a table tells where the board is shown.
std::vector<plot::PredictionPanel> boardPanels();
// Draws predictions that have been made; panels without data are left out.
Figure predictionFigure(const std::shared_ptr<const plot::PredictionFigureData>& data,
    std::vector<plot::PredictionPanel> panels = boardPanels());

std::vector<Kind> predictionKinds();

} // namespace trainscope::figures
