#include "app/cli/options/PredictOptions.h"

#include "core/model/Try.h"

namespace trainscope::cli {

Status checkAsked(const figures::OptionValues& asked) {
    predict::JobRequest job;
    figures::SearchAsked search;
    predict::TrainingAsked training;
    RETURN_IF_ERROR(figures::jobOptions().apply(asked, job));
    RETURN_IF_ERROR(figures::searchOptions().apply(asked, search));
    return figures::trainingOptions().apply(asked, training);
}

Result<predict::JobRequest> jobRequestOf(const PredictOptions& options) {
    const auto& asked = options.asked;
    if (!asked.has("model") || !asked.has("cluster") || !asked.has("global-batch"))
        return usageError(
            "A prediction needs --model, --cluster and --global-batch, or a --table.");
    predict::JobRequest request;
    RETURN_IF_ERROR(figures::jobOptions().apply(asked, request));
    return request;
}

Result<predict::ClusterRequest> otherClusterOf(
    const PredictOptions& options, const predict::ClusterRequest& first) {
    ASSIGN_OR_RETURN(auto other, predict::clusterFrom(options.clusters().at(1)));
    other.networkBandwidth = first.networkBandwidth;
    other.powerLimitW = first.powerLimitW;
    other.clockHz = first.clockHz;
    return other;
}

Result<predict::TrainingAsked> trainingAskedOf(const PredictOptions& options, Workload workload) {
    predict::TrainingAsked asked;
    RETURN_IF_ERROR(figures::trainingOptions().apply(options.asked, asked));
    RETURN_IF_ERROR(predict::checkTraining(asked, workload));
    return asked;
}

Result<predict::SearchRequest> searchRequestOf(const PredictOptions& options) {
    ASSIGN_OR_RETURN(const auto job, jobRequestOf(options));
    RETURN_IF_ERROR(predict::checkWorkload(job));
    const layout::LayoutRequest& asked = job.layout;
    if (options.asked.has("offload") || asked.schedule == layout::ScheduleKind::DualPipe)
        return usageError("A search keeps all numbers on the GPUs and does not try the schedule "
                          "dualpipe: leave --offload and that out.");
    if (asked.order || !asked.stageLayers.empty())
        return usageError("A search takes the usual order of ranks and division of layers: leave "
                          "order and stage-layers out.");
    ASSIGN_OR_RETURN(const auto search, figures::searchOf(job, options.asked));
    predict::SearchRequest request = search.search;
    request.layout = asked;
    if (request.layout.fsdp.value_or(false))
        request.layout.zeroStage = 3;
    request.isMicroBatchFixed = options.asked.has("micro-batch");
    request.isRecomputeFixed = options.asked.has("recompute");
    return request;
}

} // namespace trainscope::cli
