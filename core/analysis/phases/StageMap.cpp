#include "core/analysis/phases/StageMap.h"

#include "core/layout/RankGrid.h"

#include <algorithm>

namespace trainscope::analysis {

std::optional<StageMap> stagesOf(const Run& run, int ranks) {
    const int stages = run.launch.pipelineParallel.value_or(1);
    if (stages < 2)
        return std::nullopt;
    const auto grid
        = layout::RankGrid::fromLaunch(run.launch, std::max({run.worldSize, run.gpuCount, ranks}));
    if (!grid.hasValue())
        return std::nullopt;
    StageMap map;
    map.stages = stages;
    map.origin = run.launch.origin;
    for (int rank = 0; rank < grid.value().worldSize(); ++rank)
        map.stageOf[rank] = grid.value().position(rank).pipeline;
    return map;
}

} // namespace trainscope::analysis
