#pragma once
// Calibration files that the user names: tables of runs and run databases.

#include "app/cli/console/Console.h"
#include "core/predict/prediction/MeasuredRuns.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::cli {

struct CalibrationFiles {
    std::vector<std::string> paths; // each a CSV table or a run database
    std::vector<std::string> runs; // names of runs in the databases; none: all measured ones
};

// Absent without paths. Usage for runs that are named where there is no database; Unrecognised
// where nothing of them can be used.
Result<std::optional<predict::RunCalibration>> readCalibration(
    const CalibrationFiles& files, const Console& console);

// A row of a table whose job and time are known, and its place in the table.
struct PlacedJob {
    int row = 0;
    predict::MeasuredJob job;
};
// Those of all tables. Usage where there is a database among them.
Result<std::vector<PlacedJob>> readPlacedJobs(const CalibrationFiles& files);

} // namespace trainscope::cli
