#include "core/analysis/machine/RunTraffic.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

layout::TrafficModel trafficModelOf(const catalogue::TrainingModel& model, int sequence,
    int microBatch, std::optional<bool> sequenceParallel) {
    const double hidden = model.hidden;
    const double queries = double{1} * model.heads * model.headSize;
    const double keys = double{1} * model.kvHeads * model.headSize;
    const double router = model.experts > 1 ? hidden * model.experts : 0.0;
    layout::TrafficModel traffic;
    traffic.hidden = hidden;
    traffic.keyWidth = keys;
    traffic.sequence = sequence;
    traffic.microBatch = microBatch;
    traffic.attentionParameters = 2.0 * hidden * (queries + keys) + 2.0 * hidden + router;
    traffic.mlpParameters = (model.gatedMlp ? 3.0 : 2.0) * hidden * model.ffn;
    traffic.embeddingParameters = hidden * model.vocabulary;
    traffic.tiedEmbeddings = model.tiedEmbeddings;
    traffic.experts = model.experts;
    traffic.expertsPerToken = model.expertsPerToken;
    traffic.sequenceParallel = sequenceParallel.value_or(true);
    return traffic;
}

Result<layout::TrafficModel> trafficModelOf(
    const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue) {
    ASSIGN_OR_RETURN(const auto shape, shapeOf(launch, catalogue));
    if (!launch.sequenceLength || !launch.microBatch)
        return Error{ErrorCode::NotFound,
            "What the groups exchange needs the sequence length and the micro-batch, which the "
            "launch configuration does not say.",
            launch.origin};
    return trafficModelOf(
        shape.model, *launch.sequenceLength, *launch.microBatch, launch.sequenceParallel);
}

} // namespace trainscope::analysis
