#pragma once
// Results of a search of layouts, in words and as the points of a picture. Pure; any thread.

#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/Ties.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::figures {

// "TP 8 · PP 4 · DP 1, micro-batch 2, full recomputation".
std::string choiceWords(const predict::LayoutChoice& choice);
// "TP8 PP4 DP1, mb 2, full recomputation": where many stand below each other.
std::string choiceBrief(const predict::LayoutChoice& choice);

// "1" for the first of a group of ties, "= 1" for the others; empty: it is of none.
std::string groupWords(const predict::ListedLayout& one);

// Step time against energy, or, where that is the objective, against peak power: the front with its
// intervals, and the best of the others.
plot::PredictedFront frontOf(const predict::SearchResult& found, predict::SearchObjective objective,
    const std::optional<predict::LayoutChoice>& chosen);
// The layouts of its points, in their order.
std::vector<predict::LayoutChoice> choicesOfFront(
    const predict::SearchResult& found, predict::SearchObjective objective);
// The best, those that truly differ first.
std::vector<plot::PredictedLayout> rankingOf(
    const predict::SearchResult& found, const std::optional<predict::LayoutChoice>& chosen);

// "1,204 of 5,310 layouts are possible; ruled out: 2,100 by memory, …".
std::string searchWords(const predict::SearchResult& found);

// The nearest layout where none fits, in a sentence for each limit; else empty.
std::string nearestWords(const predict::SearchResult& found);

} // namespace trainscope::figures
