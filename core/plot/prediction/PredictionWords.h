#pragma once
// Predictions in words: layouts, searches, the time and energy of a training; their figures; tables
// of layouts and changes. The board, the page of a decision, the window's ranking and the command
// line share them. Pure; any thread.

#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Search.h"
#include "core/text/Table.h"

namespace trainscope::plot {

// "TP 8 · PP 4 · DP 1, micro-batch 2, full recomputation".
std::string choiceWords(const predict::LayoutChoice& choice);
// The same of a job's layout, and behind its machine: "32 × H200 SXM, TP 8 · PP 4 · DP 1, …".
std::string layoutWords(const predict::Job& job);
std::string jobWords(const predict::Job& job);
// "1" for the first of a group of ties, "= 1" for the others, "perhaps" for one that may not fit.
inline constexpr std::string_view kPerhapsWords = "perhaps";
std::string groupWords(const predict::ListedLayout& one);

// "1,204 of 5,310 layouts are possible; ruled out: 2,100 by memory, …".
std::string searchWords(const predict::SearchResult& found);
// The nearest layout where none fits, in a sentence for each limit; else empty.
std::string nearestWords(const predict::SearchResult& found);

// "41.2 days (37.1 days to 46 days)"; of energy "812 MWh (700 to 950)".
std::string timeWords(const predict::Training& training);
std::string energyWords(const predict::Training& training);
// "94 % (87 to 97) of the time are steps, which makes 71 days (66 to 79): an interruption every 2.4
// h takes 10 min, a checkpoint every 25 min takes 30 s"
std::string goodputWords(const predict::Training& training);
std::string tokenWords(double tokens); // "1T tokens"

// "7.2 s (6.5 to 7.9)", three digits, which is what intervals are worth.
std::string predictedText(double value, const predict::Interval& interval, std::string_view unit);

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
