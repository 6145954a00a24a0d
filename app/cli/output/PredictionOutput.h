#pragma once
// Predictions as `predict` prints them: one in full, and those of a table with what was measured.

#include "app/cli/text/Rows.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/Training.h"
#include "importers/trainingtable/TrainingTable.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

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

} // namespace trainscope::cli
