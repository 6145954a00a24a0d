#pragma once
// A prediction as a run of the database, with the shape of a measured one: machine, launch
// configuration, iterations, telemetry of every GPU, and kernels of one iteration of one rank of
// each pipeline stage, whose names say what they stand for.

#include "core/predict/power/Telemetry.h"
#include "core/predict/prediction/Prediction.h"

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

// Activities of each GPU during a predicted step, and the readings that its sensors would show.
// Pure; any thread.

// A moment of a step on the GPUs of a stage in which one part of it is done; what lies between such
// moments is waiting.
struct StepPiece {
    double begin = 0.0; // s since the step's begin
    double end = 0.0;
    StepPart part = StepPart::Gemm;
    bool isDecode = false; // a token at a time
};
// In order; without waits.
std::vector<StepPiece> timelineOf(const Job& job, const Prediction& prediction, int stage);

// Errors are those of predictTelemetry().
Result<PredictedTelemetry> telemetryOf(const Job& job, const Prediction& prediction,
    const PlayedSteps& played, const Progress& progress = {});

} // namespace trainscope::predict
