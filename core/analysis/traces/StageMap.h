#pragma once
// Which pipeline stage a rank belongs to, and what the layout says of the schedule.

#include "core/model/Import.h"
#include "core/store/Store.h"

#include <map>
#include <optional>
#include <string>

namespace trainscope::analysis {

struct StageMap {
    int stages = 0;
    std::map<int, int> stageOf; // by rank
    std::optional<int> microbatches; // per iteration and pipeline
    int virtualStages = 1;
    std::string origin; // what said so: "launch configuration config.yaml"
};

// By the run's layout (core/analysis/layout/RunLayout.h); absent where nothing tells it, it does
// not fit the ranks, or it has a single stage.
Result<std::optional<StageMap>> stagesOf(
    const store::Store& store, const Run& run, const Progress& progress = {});

} // namespace trainscope::analysis
