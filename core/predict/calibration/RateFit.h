#pragma once
// Factors on the constants of a cost model that explain measured steps: the most likely ones where
// each constant's logarithm is spread about its table's value as RateField::prior says, and
// measured steps about the predicted ones with heavy tails, so that a few wrong rows do not bend
// the rest. Gauss-Newton with reweighting. Any thread.

#include "core/predict/calibration/MeasuredJob.h"
#include "core/predict/cost/Rates.h"

#include <vector>

namespace trainscope::predict {

struct FitOptions {
    double noise = 0.04; // standard deviation of the logarithm of a step, apart from outliers
    double priorScale = 1.0; // on every prior
    int rounds = 12; // at most
};

// Rows that cannot be predicted are left out. Empty factors without rows.
RateFactors fitRates(const std::vector<MeasuredJob>& rows, const RateTable& table,
    const RateFactors& start = {}, const FitOptions& options = {});

} // namespace trainscope::predict
