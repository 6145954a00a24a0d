#pragma once
// WhatIf: what a job would take if one thing about it were otherwise. Pure; any thread.

#include "core/analysis/comparison/Verdict.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/search/Search.h"

namespace trainscope::predict {

enum class WhatIf {
    LinkBandwidth, // scale-up
    NetworkBandwidth, // scale-out
    MemoryBandwidth,
    MemorySize,
    GlobalBatch, // in whole micro-batches of each replica
    MicroBatch, // with the same global batch
    Sequence,
    PowerLimit, // a GPU's
};
constexpr auto namesOf(WhatIf) {
    return enumNames("link_bandwidth", "network_bandwidth", "memory_bandwidth", "memory_size",
        "global_batch", "micro_batch", "sequence", "power_limit");
}
constexpr auto titlesOf(WhatIf) {
    return enumNames("Link bandwidth", "Network bandwidth", "Memory bandwidth", "Memory size",
        "Global batch", "Micro-batch", "Sequence length", "Power limit");
}
using trainscope::titleOf;
inline constexpr std::size_t kWhatIfs = namesOf(WhatIf{}).size();
std::string_view unitOf(WhatIf what); // SI; "sample" or "token" of what is counted

// Factors on a job's own value.
inline constexpr std::array kWhatIfFactors{0.5, 2.0};

struct WhatIfPoint {
    double factor = 1.0;
    Prediction made; // without its schedule; out of memory where no layout fits
    std::optional<LayoutChoice> best; // layout that it is of, where layouts were ranked
};

struct WhatIfRow {
    WhatIf what = WhatIf::LinkBandwidth;
    std::optional<double> value; // SI; absent: not known, and neither are points
    std::vector<WhatIfPoint> points; // the possible ones of kWhatIfFactors
};

// The job with that times `factor`; absent where it cannot be so.
std::optional<Job> withFactor(const Job& job, WhatIf what, double factor);

// A row for each of them. Errors are those of Predictor::predict(job).
Result<std::vector<WhatIfRow>> whatIfsOf(const Job& job, const Predictor& predictor = Predictor());

// The row of the memory's size with the best layout of a search at each point: more memory makes no
// layout faster, but others possible. Errors are those of searchLayouts().
Result<WhatIfRow> memoryWhatIf(const SearchRequest& request,
    const Predictor& predictor = Predictor(), const Progress& progress = {});
// Takes such a row in the place of the job's own; one without points is left.
void takeMemory(const WhatIfRow& memory, std::vector<WhatIfRow>& rows);

// ScaleVerdict: scale-up against scale-out for clusters that need not exist: the best layout on
// each is judged by the rules that measured runs are judged by
// (core/analysis/comparison/Verdict.h). Any thread.

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
