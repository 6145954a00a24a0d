#pragma once
// A calibration as `predict` tells it: the factors and what they mean, the constants of power and
// heat, and how far it is off on what it was made from.

#include "app/cli/text/Rows.h"
#include "core/analysis/statistics/Means.h"
#include "core/predict/prediction/MeasuredRuns.h"

#include <iosfwd>
#include <map>
#include <string>

namespace trainscope::cli {

// Mean |predicted / measured − 1| of rows, each predicted from the others.
struct LeftOutErrors {
    analysis::RunningMean row; // from all other rows
    analysis::RunningMean configuration; // from rows of other configurations
};
std::map<std::string, LeftOutErrors> leftOutErrors(const predict::RunCalibration& calibration);

Json calibrationJson(const predict::RunCalibration& calibration);
void printCalibration(std::ostream& out, const predict::RunCalibration& calibration);

} // namespace trainscope::cli
