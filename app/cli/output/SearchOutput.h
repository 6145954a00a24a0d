#pragma once
// A search of layouts as `predict --search` prints it: how many were looked at, what they were
// refused for, and the best; of two clusters both, with the verdict between them. And what a step
// would take if one thing were otherwise.

#include "app/cli/text/Json.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/ScaleVerdict.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/Sensitivity.h"
#include "core/predict/search/Ties.h"

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::cli {

// With what a training takes on each layout, where one is asked for.
Json searchJson(const predict::SearchResult& result, const predict::TrainingAsked& asked);
void printSearch(std::ostream& out, const std::string& title, const predict::SearchResult& result,
    const predict::TrainingAsked& asked);

// Names of the clusters in their order.
Json scalesJson(const std::array<std::string, 2>& names, const predict::ScaleComparison& comparison,
    const predict::TrainingAsked& asked);
void printScales(std::ostream& out, const std::array<std::string, 2>& names,
    const predict::ScaleComparison& comparison, const predict::TrainingAsked& asked);

// A job's step if one thing were otherwise, and what a training takes then.
struct WhatIfFacts {
    double seconds = 0.0; // length of the step as it is
    int gpus = 1;
    std::optional<double> tokens; // to train on
    std::vector<predict::Sensitivity> sensitivities;
    std::vector<predict::MemoryChange> memory; // for the ranked layouts
};
Result<WhatIfFacts> whatIfOf(const predict::Job& job, double seconds,
    const predict::TrainingAsked& asked, const predict::Predictor& predictor);
Json whatIfJson(const WhatIfFacts& facts);
void printWhatIf(std::ostream& out, const WhatIfFacts& facts);

} // namespace trainscope::cli
