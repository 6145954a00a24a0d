#include "core/predict/search/Search.h"

#include <utility>

namespace trainscope::predict {

namespace {

// Copies the fields that a job and a request for one share.
template <typename Asked>
SearchRequest withWorkOf(const Asked& job) {
    SearchRequest request;
    request.model = job.model;
    request.workload = job.workload;
    request.globalBatch = job.globalBatch;
    request.sequence = job.sequence;
    request.generated = job.generated;
    request.adapters = job.adapters;
    request.precision = job.precision;
    request.kept = job.kept;
    request.offload = job.offload;
    request.attention = job.attention;
    request.stack = job.stack;
    request.execution = job.execution;
    return request;
}

} // namespace

SearchRequest searchLike(const Job& job) {
    SearchRequest request = withWorkOf(job);
    request.cluster.gpu = job.machine.gpu;
    request.cluster.nodes = job.layout.nodes;
    request.cluster.gpusPerNode = job.layout.gpusPerNode;
    request.cluster.linkBandwidth = job.machine.linkBandwidth;
    request.cluster.networkBandwidth = job.machine.networkBandwidth;
    request.cluster.powerLimitW = job.machine.powerLimitW;
    request.cluster.clockHz = job.machine.clockHz;
    request.cluster.site = job.machine.site;
    return request;
}

SearchRequest searchLike(const JobRequest& job) {
    SearchRequest request = withWorkOf(job);
    request.cluster = job.cluster;
    request.sequenceParallel = job.sequenceParallel;
    return request;
}

LayoutChoice choiceOf(const Job& job) {
    const layout::Degrees& degrees = job.layout.grid.degrees();
    LayoutChoice choice{degrees.tensor, degrees.context, degrees.expert, degrees.data,
        degrees.pipeline, job.layout.virtualStages, 0, job.microBatch, job.recompute,
        job.recomputedLayers};
    if (job.model.experts > 1)
        choice.expertTensor = degrees.expertTensor;
    if (const auto& sharding = job.layout.sharding) {
        choice.zeroStage = sharding->zeroStage;
        choice.shard = sharding->replicas > 1 ? sharding->group : 0;
    }
    choice.schedule = job.layout.schedule;
    return choice;
}

layout::LayoutRequest layoutOf(const LayoutChoice& choice) {
    layout::LayoutRequest asked;
    asked.tensor = choice.tensor;
    asked.context = choice.context;
    asked.expert = choice.expert;
    if (choice.expertTensor > 0)
        asked.expertTensor = choice.expertTensor;
    asked.pipeline = choice.pipeline;
    if (choice.virtualStages > 1)
        asked.virtualStages = choice.virtualStages;
    if (choice.zeroStage > 0)
        asked.zeroStage = choice.zeroStage;
    if (choice.shard > 0)
        asked.shardSize = choice.shard;
    if (layout::splitsBackward(choice.schedule))
        asked.schedule = choice.schedule;
    return asked;
}

Result<Job> jobOf(const SearchRequest& request, const LayoutChoice& choice) {
    JobRequest asked;
    asked.model = request.model;
    asked.cluster = request.cluster;
    asked.layout = layoutOf(choice);
    asked.workload = request.workload;
    asked.microBatch = choice.microBatch;
    asked.globalBatch = request.globalBatch;
    asked.sequence = request.sequence;
    asked.generated = request.generated;
    asked.adapters = request.adapters;
    asked.precision = request.precision;
    asked.kept = request.kept;
    asked.offload = request.offload;
    asked.recompute = choice.recompute;
    asked.recomputedLayers = choice.recomputedLayers;
    asked.attention = request.attention;
    asked.sequenceParallel = request.sequenceParallel;
    asked.stack = request.stack;
    asked.execution = request.execution;
    return jobOf(asked);
}

} // namespace trainscope::predict
