#pragma once
// Predictions as a board: the answer in words, its figures with their intervals, the verdict on it
// and another cluster, the step against other candidates and where it goes, its telemetry over what
// was measured, the memory of each pipeline stage, the heat of a node, the schedule, the layouts
// that it was ranked with, and what would change it. Plain values; SI. Pure.

#include "core/plot/comparison/Comparison.h"
#include "core/plot/layout/ScheduleFigure.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/WhatIf.h"

namespace trainscope::plot {

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

// A metric of the GPUs over a step, by column.
struct PredictedLine {
    std::vector<float> mean; // over the GPUs; NaN where nothing is known
    std::vector<float> low; // 5 % of them
    std::vector<float> high; // 95 %
};
// Predicted − measured, of every GPU and column that both have.
struct PredictedResidual {
    double bias = 0.0; // mean
    double mean = 0.0; // absolute ones
    double p90 = 0.0; // the same, 90th percentile
    double level = 0.0; // mean of what was measured
    std::size_t gpus = 0; // GPUs with a difference each; 0: their means have one
};
struct PredictedTrack {
    FigureAxis axis;
    FigureAxis residualAxis;
    PredictedLine measured;
    PredictedLine predicted;
    std::vector<float> residual; // between the means
    PredictedResidual told;
};
struct PredictedTracks {
    std::string run; // the one with the measured telemetry
    std::string caption; // says how both were laid over each other
    std::optional<double> seconds; // length of the axis; absent: it is shares of a step
    std::vector<PredictedTrack> tracks;
};

enum class PredictionPanel {
    Answer,
    Cards,
    Choices,
    Changes,
    Verdict,
    Step,
    Tracks,
    Memory,
    Heat,
    Schedule,
    Sources,
};
inline constexpr std::array kPredictionPanels{PredictionPanel::Answer, PredictionPanel::Cards,
    PredictionPanel::Verdict, PredictionPanel::Step, PredictionPanel::Tracks,
    PredictionPanel::Memory, PredictionPanel::Heat, PredictionPanel::Schedule,
    PredictionPanel::Choices, PredictionPanel::Changes, PredictionPanel::Sources};
// The page of a decision.
inline constexpr std::array kDecisionPanels{PredictionPanel::Answer, PredictionPanel::Cards,
    PredictionPanel::Choices, PredictionPanel::Verdict, PredictionPanel::Changes,
    PredictionPanel::Sources};

struct PredictionFigureData : SheetTexts {
    std::shared_ptr<const PredictedJob> asked; // nullptr: there is none
    std::shared_ptr<const ScheduleFigureData> schedule; // nullptr: it has no pipeline
    std::vector<PredictedJob> others; // beside it, in their order
    std::optional<MeasuredStep> measured;
    predict::TrainingAsked training;
    std::shared_ptr<const predict::SearchResult> found; // nullptr: layouts were not ranked
    std::vector<predict::WhatIfRow> whatIf; // empty: not shown
    std::shared_ptr<const PredictedTracks> tracks; // nullptr: nothing was measured
    // The best layout on the cluster and on another; nullptr: there is no other.
    std::shared_ptr<const ComparisonData> rival;
    std::string calibration; // in words; empty: constants are as shipped

    [[nodiscard]] bool has(PredictionPanel panel) const;
    // The others, then the asked one.
    [[nodiscard]] std::vector<const PredictedJob*> predicted() const;
};

// Takes a job as the asked one, with its schedule: the plan with the predicted durations of passes.
void takeAsked(std::shared_ptr<const PredictedJob> asked, PredictionFigureData& data);

// The answer in sentences, of the asked job.
std::vector<std::string> reasonsOf(const PredictionFigureData& data);

// Title and caption of the asked job's board, and notes on it before those that are there.
void addTexts(PredictionFigureData& data);

// A row per value: panel, name, part, unit, value and the bounds of its interval.
std::string predictionCsv(const PredictionFigureData& data);

// Areas are the panels; those without data are left away. Any thread.
Picture buildPrediction(const PredictionFigureData& data, const FigureStyle& style,
    const std::vector<PredictionPanel>& panels);

} // namespace trainscope::plot
