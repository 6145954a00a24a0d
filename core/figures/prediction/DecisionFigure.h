#pragma once
// A prediction in the words that one decides by: what a training takes and costs, the layout among
// those that it was ranked with, what would change it, and where the figures come from. Pure; any
// thread.

#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/Sensitivity.h"
#include "core/predict/search/Ties.h"

#include <string>
#include <vector>

namespace trainscope::figures {

// "41.2 days (37.1 days to 46 days)"; of energy "812 MWh (700 to 950)"; of cost "1.24 M (1.1
// to 1.4)", in the currency of the prices, which nobody says.
std::string timeWords(const predict::Training& training);
std::string energyWords(const predict::Training& training);
// "94 % (87 to 97) of the time are steps, which makes 71 days (66 to 79): an interruption every 2.4
// h takes 10 min, a checkpoint every 25 min takes 30 s"
std::string goodputWords(const predict::Training& training);
std::string costWords(const predict::BoundedValue& cost);
// "2.5 a GPU hour, 0.12 a kWh"; empty without any.
std::string priceWords(const predict::TrainingAsked& asked);
// "1T tokens".
std::string tokenWords(double tokens);

std::vector<plot::PredictedCard> trainingCards(const predict::Training& training);

struct DecisionFacts {
    const predict::Job* job = nullptr;
    const predict::Prediction* prediction = nullptr;
    predict::TrainingAsked asked = {};
    const predict::SearchResult* found = nullptr; // nullptr: layouts were not ranked
    std::vector<plot::PredictedSensitivity> sensitivities = {};
    std::vector<predict::MemoryChange> memory = {}; // of the ranking
    std::string calibration = {}; // in words; empty: constants are as shipped
};
plot::PredictedDecision decisionOf(const DecisionFacts& facts);

// The page of a decision.
std::vector<plot::PredictionPanel> decisionPanels();

} // namespace trainscope::figures
