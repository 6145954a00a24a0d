#include "core/figures/prediction/ScaleFigure.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace trainscope::figures {

using namespace plot;

namespace {

// "A: TP 8 · PP 4 · DP 1, micro-batch 2, the best of 1204 layouts that can be."
std::string bestWords(const std::string& mark, const predict::SearchResult& found) {
    if (found.top.empty())
        return fmt::format("{}: {}.", mark, searchWords(found));
    return fmt::format("{}: {}, the best of {}.", mark, choiceWords(found.top.front().choice),
        text::counted(std::ssize(found.feasible), "possible layout"));
}

} // namespace

plot::ComparisonData scaleData(const predict::ScaleComparison& comparison) {
    plot::ComparisonData data;
    for (std::size_t side = 0; side < comparison.measures.size(); ++side) {
        const analysis::RunMeasures& measures = comparison.measures[side];
        FigureRun named = nameOf(measures.run);
        named.cluster = measures.cluster;
        data.runs.push_back({std::move(named), analysis::runMark(side), side});
        data.measured.push_back(std::make_shared<const analysis::RunMeasures>(measures));
    }
    data.title = "Scale-up and scale-out, predicted";
    addQuantities(data);
    addVerdict(data);
    // Behind the reasons that tell most.
    constexpr std::ptrdiff_t kBehind = kFirstReasons - 2;
    auto& statements = data.verdict->statements;
    for (std::size_t side = comparison.searches.size(); side-- > 0;)
        statements.insert(statements.begin() + std::min(kBehind, std::ssize(statements)),
            bestWords(data.runs[side].mark, comparison.searches[side]));
    return data;
}

} // namespace trainscope::figures
