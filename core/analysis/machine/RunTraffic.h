#pragma once
// The model's side of what the groups of a layout exchange (core/layout/Traffic.h): from the shape
// of the model that a run trains, or of one of the catalogue.

#include "core/catalogue/TrainingModel.h"
#include "core/layout/Traffic.h"
#include "core/model/Run.h"

#include <optional>

namespace trainscope::analysis {

// Weights of one layer and one embedding table as in ModelWork.h. Sequence parallelism is taken to
// be on unless said otherwise.
layout::TrafficModel trafficModelOf(const catalogue::TrainingModel& model, int sequence,
    int microBatch, std::optional<bool> sequenceParallel = std::nullopt);

// NotFound names what the launch configuration does not say of model, sequence or micro-batch.
Result<layout::TrafficModel> trafficModelOf(
    const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue);

} // namespace trainscope::analysis
