#pragma once
// The shape of the model that a run trains: what its launch configuration states, which wins,
// filled up from the catalogue by the model's name, else by its layers and hidden size.

#include "core/catalogue/TrainingModel.h"
#include "core/model/Result.h"
#include "core/model/Run.h"

#include <string>

namespace trainscope::analysis {

struct ModelShape {
    catalogue::TrainingModel model; // complete
    std::string origin; // for people: where the shape comes from
};

// NotFound names what is not known of the model. Without a stated feed-forward size or kind the
// frameworks' default is taken, two matrices of 4 × hidden, and the origin says so; without heads
// every head has a key of its own.
Result<ModelShape> shapeOf(const LaunchConfig& launch, const catalogue::ModelCatalogue& catalogue);

} // namespace trainscope::analysis
