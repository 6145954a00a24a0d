#pragma once
// Measured runs as data for predictions: their step as a row of a calibration, and the constants of
// power and heat of their kind of GPU (RunPower.h). Any thread that owns the store.

#include "core/predict/power/RunPower.h"
#include "core/predict/prediction/Prediction.h"

namespace trainscope::predict {

// Means over its iterations.
struct MeasuredGpu {
    int rank = 0;
    int slot = 0; // place in its node, in the order of the air
    double watts = 0.0;
    std::optional<double> celsius;
};

struct MeasuredRun {
    std::string name;
    std::string gpu; // as in the catalogue
    std::optional<MeasuredJob> job; // seconds: of the median iteration
    std::string refused; // reason for there being no job
    std::vector<std::string> notes; // assumptions where the run says nothing
    RunPower power;
    std::optional<double> meanW; // a GPU's, over the iterations
    std::optional<double> busyHz; // median clock of busy GPUs
    std::vector<MeasuredGpu> gpus; // by rank; of the nodes whose GPUs all have power
};

// Refused are runs that were not measured, or whose GPUs are of no known kind.
Result<MeasuredRun> measuredRun(const analysis::RunStudy& study);

// By kind of GPU, medians over its runs. One factor brings the power of work beyond
// idle to the measured mean power of predicted steps, or at a power limit to the measured clock.
PowerBases powerBasesOf(const std::vector<MeasuredRun>& runs, const Predictor& predictor);

// A calibration from rows and runs, and the predictor that it makes.
struct RunCalibration {
    std::vector<MeasuredRun> runs;
    std::shared_ptr<const Calibration> steps; // from rows and runs
    std::shared_ptr<const PowerBases> powers;

    [[nodiscard]] Predictor predictor() const;
    [[nodiscard]] std::size_t jobs() const { return steps ? steps->rows().size() : 0; }
};
RunCalibration calibrationOf(std::vector<MeasuredRun> runs, std::vector<MeasuredJob> rows = {});
// By all measured runs of the database that can be taken.
Result<RunCalibration> calibrationOf(const store::Store& store, const Progress& progress = {});

// A run against what its own calibration predicts of it.
struct RunResidual {
    std::string name;
    std::optional<double> seconds;
    std::optional<double> predictedSeconds;
    std::optional<double> meanW; // a GPU's
    std::optional<double> predictedW;
    struct Gpu {
        int rank = 0;
        double watts = 0.0;
        double predictedW = 0.0;
        std::optional<double> celsius;
        double predictedC = 0.0;
    };
    std::vector<Gpu> gpus;
};
std::vector<RunResidual> residualsOf(const RunCalibration& calibration);

} // namespace trainscope::predict
