#pragma once
// Which pipeline stage a rank belongs to.

#include "core/model/Result.h"
#include "core/model/Run.h"

#include <map>
#include <optional>
#include <string>

namespace trainscope::analysis {

struct StageMap {
    int stages = 0;
    std::map<int, int> stageOf; // by rank
    std::string origin; // what said so: the launch file
};

// From the launch configuration's degrees and rank order; absent where it tells none, or a single
// stage. `ranks`: those seen in the data, the world where the run does not say how large it is.
std::optional<StageMap> stagesOf(const Run& run, int ranks);

} // namespace trainscope::analysis
