#pragma once
// Runs of machines that differ from the table by known factors, as if they had been measured: eight
// H100 whose products in 16 bits have 0.9 of their speed, which draw 20 W more at rest, and whose
// heat sinks are a tenth worse.

#include "core/predict/prediction/PredictedRun.h"
#include "core/predict/support/CatalogueJob.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::test {

inline constexpr double kPlantedSpeed = 0.9;
inline constexpr double kPlantedIdleW = 117.0 + 20.0;
inline constexpr double kPlantedResistance = 1.1 * 0.0425;

inline predict::Job plantedJob(const char* model, const char* layout, int microBatch) {
    predict::JobRequest request = jobRequest(model, "1x8xH100", layout, 64);
    request.microBatch = microBatch;
    return predict::jobOf(request).value();
}

// As such a machine would run the job.
inline predict::Prediction plantedPrediction(const predict::Job& job) {
    predict::Prediction made = predict::Predictor().predict(job).value();
    const auto rates
        = predict::RateTable::builtIn().ratesOf(job, {{"gpu/H100 SXM5/gemm_16", kPlantedSpeed}});
    made.step = predict::predictStep(job, rates.value()).value();
    made.seconds = made.step.seconds;
    made.power.gpu.idleW = kPlantedIdleW;
    made.power.gpu.thermal.resistance = kPlantedResistance;
    return made;
}

// A run of each job; from a minute of rest on. False where it cannot be written.
inline bool writePlantedRuns(store::Store& store) {
    for (const char* layout : {"tp=2", "tp=4", "tp=8", "tp=4,pp=2"}) {
        for (const int microBatch : {1, 2}) {
            const predict::Job job = plantedJob("llama3-8b", layout, microBatch);
            const std::string name = fmt::format("planted {} {}", layout, microBatch);
            if (!predict::writePrediction(
                    store, name, job, plantedPrediction(job), {}, {RunKind::Measured, 60.0})
                     .hasValue())
                return false;
        }
    }
    return true;
}

} // namespace trainscope::test
