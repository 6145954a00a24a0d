#pragma once
// A search of layouts as `predict --search` prints it: how many were looked at, what they were
// refused for, and the best; of two clusters both, with the verdict between them. And what a step
// would take if one thing were otherwise.

#include "app/cli/text/Json.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/prediction/Training.h"
#include "core/predict/search/ScaleVerdict.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/Ties.h"
#include "core/predict/search/WhatIf.h"

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

// Steps and days of a job if one thing were otherwise; `tokens`: to train on.
Json whatIfJson(
    const std::vector<predict::WhatIfRow>& rows, const std::optional<double>& tokens, int gpus);
void printWhatIf(std::ostream& out, const plot::PredictedJob& job,
    const std::vector<predict::WhatIfRow>& rows, const predict::TrainingAsked& asked);

} // namespace trainscope::cli
