#include "core/analysis/traces/StageMap.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

Result<std::optional<StageMap>> stagesOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    std::optional<StageMap> none;
    ASSIGN_OR_RETURN(const auto found, fittingLayout(store, run, progress));
    if (!found)
        return none;
    const layout::Layout& layout = found->layout;
    StageMap map;
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        const int stage = layout.grid.position(rank).pipeline;
        map.stageOf[rank] = stage;
        map.stages = std::max(map.stages, stage + 1);
    }
    if (map.stages < 2)
        return none;
    map.microbatches = layout.microbatches;
    map.virtualStages = layout.virtualStages;
    map.origin = found->told.wording;
    return std::optional(std::move(map));
}

} // namespace trainscope::analysis
