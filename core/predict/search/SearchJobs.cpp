#include "core/predict/search/Search.h"

namespace trainscope::predict {

SearchRequest searchLike(const JobRequest& job) {
    SearchRequest request{job};
    request.layout = {};
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
    JobRequest asked = request;
    asked.layout = layoutOf(choice);
    asked.microBatch = choice.microBatch;
    asked.recompute = choice.recompute;
    asked.recomputedLayers = choice.recomputedLayers;
    return jobOf(asked);
}

} // namespace trainscope::predict
