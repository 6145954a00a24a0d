#pragma once
// A search of layouts as `predict --search` prints it: how many were looked at, what they were
// refused for, and the best; of two clusters both, with the verdict between them. And what a step
// would take if one thing were otherwise.

#include "app/cli/text/Json.h"
#include "core/predict/search/ScaleVerdict.h"
#include "core/predict/search/Search.h"
#include "core/predict/search/Sensitivity.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace trainscope::cli {

Json searchJson(const predict::SearchResult& result);
void printSearch(std::ostream& out, const std::string& title, const predict::SearchResult& result);

// Names of the clusters in their order.
Json scalesJson(
    const std::array<std::string, 2>& names, const predict::ScaleComparison& comparison);
void printScales(std::ostream& out, const std::array<std::string, 2>& names,
    const predict::ScaleComparison& comparison);

Json whatIfJson(const std::vector<predict::Sensitivity>& sensitivities);
void printWhatIf(
    std::ostream& out, double seconds, const std::vector<predict::Sensitivity>& sensitivities);

} // namespace trainscope::cli
