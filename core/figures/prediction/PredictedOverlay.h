#pragma once
// Predicted telemetry laid over what was measured: the power, temperature and clock of every GPU
// over one step, the mean of the settled iterations, each stretched to the same length.

#include "core/plot/prediction/PredictionFigure.h"
#include "core/predict/power/Telemetry.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::figures {

struct MeasuredTracks {
    struct Track {
        std::string metric;
        std::map<int, std::vector<float>> values; // by rank, then column; NaN: nothing is known
    };
    std::string run; // its name
    // Laid over each other; 0: none are known, its settled part is shown.
    std::size_t iterations = 0;
    double seconds = 0.0; // mean of theirs, or of that part
    std::vector<Track> tracks; // one for each such metric of the run
};
// Without tracks where the run has no such telemetry. Any thread that owns the store.
Result<MeasuredTracks> measuredTracksOf(const analysis::RunStudy& study);

// The prediction as the sensors of the measured run would record it. Errors are those of
// predict::telemetryOf().
Result<plot::PredictedTracks> overlayOf(const MeasuredTracks& measured, const predict::Job& job,
    const predict::Prediction& prediction, const Progress& progress = {});
// The same of telemetry of two steps, whose second is taken: nothing of it is a beginning.
plot::PredictedTracks overlayOf(const MeasuredTracks& measured,
    const predict::PredictedTelemetry& telemetry, double stepSeconds);

} // namespace trainscope::figures
