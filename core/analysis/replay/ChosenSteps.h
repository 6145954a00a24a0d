#pragma once
// The iterations that a step graph is of.

#include "core/analysis/RunStudy.h"
#include "core/analysis/replay/KernelGraph.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/RankWindow.h"

#include <map>
#include <string>
#include <vector>

namespace trainscope::analysis {

struct ChosenSteps {
    std::vector<StepIteration> iterations; // without the moments of ranks
    std::map<int, std::vector<TimeRange>> byRank; // the same on the clock of each rank
    std::map<int, TimeRange> windows; // to be read, on the clock of each rank
    TimeRange window; // on the common clock
    bool areOfDevice = false; // their edges are those of work on the device
    std::vector<std::string> notes;
};

// devices: at least one. A trace without iterations counts as one. NotFound as stepGraphOf().
Result<ChosenSteps> chosenSteps(const RunStudy& study, const StepChoice& choice,
    const std::vector<DeviceTracks>& devices, const RankClocksPtr& clocks);

} // namespace trainscope::analysis
