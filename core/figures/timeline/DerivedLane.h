#pragma once
// Derived lanes: what the formula of a lane is of in the shown runs, and its values.

#include "core/analysis/derived/DerivedSteps.h"
#include "core/analysis/derived/Formula.h"
#include "core/figures/timeline/LaneLoad.h"

namespace trainscope::figures {

struct DerivedSeries {
    std::size_t run = 0; // index into the shown runs, whose times it has
    Subject subject; // Run: of all of it
    int node = -1;
    std::string label; // "rank 5 · node 0"
    analysis::StepProgram program;
};
struct DerivedSet {
    std::string title;
    std::string unit; // SI, or % where parts are shown in %
    std::vector<DerivedSeries> series; // one at least
};

// True for a lane whose metric is a formula, and no metric of that name was recorded.
bool isDerivedIn(const plot::Catalogue& catalogue, const plot::LaneSpec& lane);
// "GPU power: rank 0 − rank 1"; the formula as it stands where it cannot be read.
std::string derivedTitle(const std::string& formula, const plot::Catalogue& catalogue,
    const std::vector<plot::ShownRun>& runs);
// Usage or NotFound where the formula makes no sense for these runs.
Result<DerivedSet> resolveDerived(const plot::LaneSpec& lane, const plot::Catalogue& catalogue,
    const std::vector<plot::ShownRun>& runs);

// An error of the formula becomes words in the lane.
Result<plot::LaneData> loadDerivedLane(const LaneRequest& request, const plot::LaneSpec& spec);

// The value of a run at an absolute time: of the GPU `rank`, else of its node, else of the run;
// NaN where it is missing; absent where none of its series is of these.
Result<std::optional<double>> derivedAt(const store::Store& store, const DerivedSet& lane,
    std::size_t run, int rank, int node, TimeNs time);
// The figures of a run over a window of absolute time: mean of the means, and extremes.
Result<analysis::StepFigures> derivedFigures(const store::Store& store, const DerivedSet& lane,
    std::size_t run, TimeRange window, const std::function<bool()>& isCancelled);

} // namespace trainscope::figures
