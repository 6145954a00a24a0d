#pragma once
// Answers of `predict`: one prediction in full, those of a table with what was measured, a
// calibration, a search of layouts, and what a step would take if one thing were otherwise.

#include "app/cli/text/Rows.h"
#include "core/analysis/statistics/Means.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/WhatIf.h"
#include "importers/trainingtable/TrainingTable.h"

namespace trainscope::cli {

// A row of a table: predicted, or with the reason why it was not.
struct PredictedRow {
    const importers::TableRow* row = nullptr;
    std::optional<predict::Prediction> prediction;
    std::string unsupported;

    // Error of the step's seconds, predicted / measured − 1; absent without a measurement.
    [[nodiscard]] std::optional<double> error() const;
    // The same from constants alone, without what measured rows like it tell.
    [[nodiscard]] std::optional<double> errorByConstants() const;
    // Error of the median step, where the table has one.
    [[nodiscard]] std::optional<double> medianError() const;
    [[nodiscard]] bool isCovered() const; // the measurement lies in the interval
};

struct TablePredictions {
    std::vector<PredictedRow> rows;
    std::optional<predict::RunCalibration> calibration;
};

Json predictionJson(const predict::Prediction& prediction);
// Adds what a training takes, with its bounds, where one was asked for.
void addTraining(const std::optional<predict::Training>& training, Json& json);
// Values of inference besides the step: first token, further ones, prompts and decoding.
void addServing(const predict::Prediction& prediction, Json& json);
Json tableJson(const TablePredictions& table);

// The figures alone, and with the parts of the step and of the memory.
void printFigures(std::ostream& out, const predict::Job& job, const predict::Prediction& prediction,
    const predict::TrainingAsked& asked);
void printPrediction(std::ostream& out, const predict::Job& job,
    const predict::Prediction& prediction, const predict::TrainingAsked& asked);
void printPredictions(std::ostream& out, const TablePredictions& table);

// A calibration: the factors and what they mean, the constants of power and heat, and how far it is
// off on what it was made from.
// Mean |predicted / measured − 1| of rows, each predicted from the others.
struct LeftOutErrors {
    analysis::RunningMean row; // from all other rows
    analysis::RunningMean configuration; // from rows of other configurations
};
std::map<std::string, LeftOutErrors> leftOutErrors(const predict::RunCalibration& calibration);

Json calibrationJson(const predict::RunCalibration& calibration);
void printCalibration(std::ostream& out, const predict::RunCalibration& calibration);

// A search of layouts: how many were looked at, what they were refused for, and the best; of two
// clusters both, with the verdict between them.
// With what a training takes on each layout, where one is asked for.
Json searchJson(const predict::SearchResult& result, const predict::TrainingAsked& asked);
void printSearch(std::ostream& out, const std::string& title, const predict::SearchResult& result,
    const predict::TrainingAsked& asked);

// Names of the clusters in their order.
Json scalesJson(const std::array<std::string, 2>& names, const predict::ScaleComparison& comparison,
    const predict::TrainingAsked& asked);
void printScales(std::ostream& out, const std::array<std::string, 2>& names,
    const predict::ScaleComparison& comparison, const predict::TrainingAsked& asked);

// Steps and days of a job if one thing were otherwise; `tokens`: to train on.
Json whatIfJson(
    const std::vector<predict::WhatIfRow>& rows, const std::optional<double>& tokens, int gpus);
void printWhatIf(std::ostream& out, const plot::PredictedJob& job,
    const std::vector<predict::WhatIfRow>& rows, const predict::TrainingAsked& asked);

} // namespace trainscope::cli
