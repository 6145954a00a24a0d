#pragma once
// ScaleVerdict: scale-up against scale-out for clusters that need not exist: the best layout on
// each is judged by the rules that measured runs are judged by
// (core/analysis/comparison/Verdict.h). Any thread.

#include "core/analysis/comparison/Verdict.h"
#include "core/predict/search/Search.h"

namespace trainscope::predict {

// A prediction as a run that is compared with others. Quantities that no prediction tells are
// absent.
analysis::RunMeasures measuresOf(
    const Job& job, const Prediction& prediction, const std::string& name);

struct ScaleComparison {
    std::array<SearchResult, 2> searches; // in the order of the clusters
    std::array<analysis::RunMeasures, 2> measures; // by the best layout on each
    // Compares the best layouts. A cluster without any ran out of memory where that refuses them
    // all.
    analysis::Verdict verdict;
};

// The same work on `request.cluster` and on another; errors are those of searchLayouts().
Result<ScaleComparison> compareScales(const SearchRequest& request, const ClusterRequest& other,
    const Predictor& predictor = Predictor(), const Progress& progress = {});

} // namespace trainscope::predict
