#pragma once
// Activities of each GPU during a predicted step, and the readings that its sensors would show.
// Pure; any thread.

#include "core/model/Import.h"
#include "core/predict/power/Telemetry.h"
#include "core/predict/prediction/Prediction.h"

#include <vector>

namespace trainscope::predict {

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
