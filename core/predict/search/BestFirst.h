#pragma once
// BestFirst: predicts estimated layouts whole, in the order of what each costs at least, until none
// of the others can be among the best. Their schedules are not kept. Predictions are made on the
// shared pool.

#include "core/predict/search/Search.h"

#include <utility>
#include <vector>

namespace trainscope::predict {

// The cost that layouts are ranked by, and the one that decides between equals.
using RankedCost = std::pair<double, double>;
RankedCost rankedCost(SearchObjective objective, double seconds, double energyJ, double peakW);

// Without its schedule.
Result<RankedLayout> predictWhole(
    const SearchRequest& request, const Predictor& predictor, const LayoutChoice& choice);

struct BestLayouts {
    std::vector<RankedLayout> ranked; // all that were predicted, the best first
    bool isProven = true; // no other can be among the best; else too many were predicted
};
Result<BestLayouts> predictBestFirst(const SearchRequest& request, const Predictor& predictor,
    const std::vector<LayoutEstimate>& estimates, const Progress& progress);

} // namespace trainscope::predict
