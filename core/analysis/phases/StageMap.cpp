#include "core/analysis/phases/StageMap.h"

#include "core/analysis/layout/RunLayout.h"

namespace trainscope::analysis {

Result<std::optional<StageMap>> stagesOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    std::optional<StageMap> none;
    const auto told = runLayout(store, run, progress);
    if (!told.hasValue()) {
        if (told.error().code == ErrorCode::NotFound || told.error().code == ErrorCode::Usage)
            return none;
        return told.error();
    }
    const auto layout = layout::makeLayout(told.value().request);
    if (!layout.hasValue())
        return none;
    StageMap map;
    for (int rank = 0; rank < layout.value().grid.worldSize(); ++rank) {
        const int stage = layout.value().grid.position(rank).pipeline;
        map.stageOf[rank] = stage;
        map.stages = std::max(map.stages, stage + 1);
    }
    if (map.stages < 2)
        return none;
    map.microbatches = layout.value().microbatches;
    map.virtualStages = layout.value().virtualStages;
    map.origin = told.value().wording;
    return std::optional(std::move(map));
}

} // namespace trainscope::analysis
