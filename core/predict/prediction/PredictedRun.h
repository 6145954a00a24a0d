#pragma once
// A prediction as a run of the database, with the shape of a measured one: machine, launch
// configuration, iterations, telemetry of every GPU, and kernels of one iteration of one rank of
// each pipeline stage, whose names say what they stand for.

#include "core/model/Import.h"
#include "core/predict/prediction/Prediction.h"
#include "core/store/Store.h"

#include <string>

namespace trainscope::predict {

// "predicted: llama3-70b on 64 × H100 SXM5, tp=4,dp=4,pp=4"
std::string nameOf(const Job& job);

struct RunWriting {
    RunKind kind = RunKind::Predicted; // another for a run that stands for a measured one
    double restSeconds = 0.0; // cold GPUs rest so long before the first step; 0: they are warm
};

// Replaces a prediction of that name. Refused for a store that was opened for reading; Cancelled by
// progress, with the database as it was.
Status writePrediction(store::Store& store, const std::string& name, const Job& job,
    const Prediction& prediction, const Progress& progress = {}, const RunWriting& writing = {});

} // namespace trainscope::predict
