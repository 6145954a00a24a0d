#include "core/layout/LaunchLayout.h"

namespace trainscope::layout {

namespace {

void foldExperts(LayoutRequest& request, int worldSize) {
    const std::int64_t experts = std::int64_t{request.expert.value_or(1)}
        * request.pipeline.value_or(1) * request.tensor.value_or(1);
    if (!request.expertTensor && request.expert.value_or(1) > 1 && experts > 0
        && worldSize % experts != 0)
        request.expertTensor = 1;
}

} // namespace

bool saysLayout(const LaunchConfig& launch) {
    return launch.tensorParallel || launch.pipelineParallel || launch.contextParallel
        || launch.expertParallel || launch.dataParallel;
}

Result<LayoutRequest> layoutFromLaunch(const LaunchConfig& launch, std::optional<int> worldSize) {
    LayoutRequest request;
    request.nodes = launch.nodes;
    request.gpusPerNode = launch.gpusPerNode;
    request.worldSize = worldSize;
    if (!worldSize && launch.nodes && launch.gpusPerNode)
        request.worldSize = *launch.nodes * *launch.gpusPerNode;
    request.tensor = launch.tensorParallel;
    request.context = launch.contextParallel;
    request.expert = launch.expertParallel;
    request.expertTensor = launch.expertTensorParallel;
    request.pipeline = launch.pipelineParallel;
    request.virtualStages = launch.virtualPipeline;
    request.zeroStage = launch.zeroStage;
    request.fsdp = launch.fsdp;
    request.layers = launch.layers;
    if (request.worldSize)
        foldExperts(request, *request.worldSize);
    if (launch.rankOrder) {
        const auto order = rankOrderFromString(*launch.rankOrder);
        if (!order.hasValue())
            return order.error();
        request.order = order.value();
    }
    if (launch.stageLayers) {
        const auto layers = stageLayersFromString(*launch.stageLayers);
        if (!layers.hasValue())
            return layers.error();
        request.stageLayers = layers.value();
    }
    return request;
}

std::optional<int> microbatchesOf(const LaunchConfig& launch, int dataParallel) {
    if (launch.gradientAccumulation && *launch.gradientAccumulation > 0)
        return launch.gradientAccumulation;
    if (!launch.globalBatch || !launch.microBatch || dataParallel < 1 || *launch.microBatch < 1)
        return std::nullopt;
    const std::int64_t perStep = std::int64_t{*launch.microBatch} * dataParallel;
    if (*launch.globalBatch < perStep || *launch.globalBatch % perStep != 0)
        return std::nullopt;
    return static_cast<int>(*launch.globalBatch / perStep);
}

} // namespace trainscope::layout
