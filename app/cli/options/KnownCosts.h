#pragma once
// Costs that the user adds to the constants that Trainscope comes with: measured runs that the
// constants are fitted to, of tables and databases, and samples of operators.

#include "app/cli/console/Console.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "importers/trainingtable/TrainingTable.h"

namespace trainscope::cli {

// A table of training runs.
Result<std::vector<importers::TableRow>> tableFrom(const std::string& path);

struct CalibrationFiles {
    std::vector<std::string> paths; // each a CSV table or a run database
    std::vector<std::string> runs; // names of runs in the databases; none: all measured ones
};

// A row of a table whose job and time are known, and its place in the table.
struct PlacedJob {
    int row = 0;
    predict::MeasuredJob job;
};
// Those of all tables. Usage where there is a database among them.
Result<std::vector<PlacedJob>> readPlacedJobs(const CalibrationFiles& files);

struct KnownCosts {
    std::optional<predict::RunCalibration> calibration;
    std::shared_ptr<const predict::ProfiledCosts> profile; // may be absent

    [[nodiscard]] predict::Predictor predictor() const;
    // Takes the cluster to be where the profile was measured, if the profile has one fabric for its
    // GPU.
    void placeAtSite(predict::ClusterRequest& cluster) const;
};

// Reads measured runs and a profile; empty paths give neither.
Result<KnownCosts> readKnownCosts(
    const CalibrationFiles& files, const std::string& profile, const Console& console);

} // namespace trainscope::cli
