#include "core/model/Run.h"

namespace trainscope {

int believableGpus(std::int64_t count) {
    return count >= 1 && count <= kMostGpus ? static_cast<int>(count) : 0;
}

int launchedGpus(const LaunchConfig& launch) {
    if (launch.nodes && launch.gpusPerNode)
        return believableGpus(std::int64_t{believableGpus(*launch.nodes)} * *launch.gpusPerNode);
    int gpus = launch.dataParallel ? 1 : 0;
    for (const auto& degree : {launch.tensorParallel, launch.contextParallel,
             launch.pipelineParallel, launch.dataParallel})
        gpus = believableGpus(std::int64_t{gpus} * degree.value_or(1));
    return gpus;
}

} // namespace trainscope
