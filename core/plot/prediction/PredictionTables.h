#pragma once
// Figures of predictions and tables of layouts and changes, made once for the board, the page of a
// decision, the window's ranking and the command line. Pure; any thread.

#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/search/Ties.h"
#include "core/text/Table.h"

#include <string>
#include <vector>

namespace trainscope::plot {

// One of the parts that a value adds up from.
struct PredictedPart {
    std::string key; // "gemm", of a step; "weights", of memory
    std::string title;
    double value = 0.0; // s or B
};

std::vector<PredictedPart> partsOf(const predict::Breakdown& breakdown);
std::vector<PredictedPart> partsOf(const analysis::StageNeed& stage);

// A figure of the prediction, told by itself.
struct PredictedCard {
    std::string title;
    std::string key; // in the CSV: "step_time"
    std::string unit; // SI; "%" for fractions
    predict::BoundedValue value;
    std::string note = {};
    bool isWarning = false;
    double scale = 1.0; // on the value, where it is told in another unit
    std::string_view toldIn = {}; // the other unit; empty: its own

    [[nodiscard]] std::string number(double one) const;
    [[nodiscard]] std::string bounds() const; // "3.6 s to 5.04 s"
};
// Figures to decide by come first.
std::vector<PredictedCard> predictedCards(const predict::Job& job,
    const predict::Prediction& prediction, const predict::TrainingAsked& asked);

// Layouts with their step, what a training takes on them where one is asked for, memory, tokens/s
// per GPU, energy and peak power.
text::Table rankedTable(const std::vector<predict::ListedLayout>& listed,
    const predict::TrainingAsked& asked, predict::SearchObjective objective);

// The step and the training of a prediction at half and twice of each thing, in words.
text::Table changesTable(const PredictedJob& asked, const predict::TrainingAsked& training,
    const std::vector<predict::WhatIfRow>& rows);

} // namespace trainscope::plot
