#pragma once
// Factors on the constants of a cost model that explain measured steps: the most likely ones where
// each constant's logarithm is spread about its table's value as RateField::prior says, and
// measured steps about the predicted ones with heavy tails, so that a few wrong rows do not bend
// the rest. Gauss-Newton with reweighting. Any thread.

#include "core/predict/calibration/MeasuredJob.h"
#include "core/predict/cost/Rates.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::predict {

struct FitOptions {
    double noise = 0.04; // standard deviation of the logarithm of a step, apart from outliers
    int rounds = 12; // at most
};

// A factor that was fitted.
struct FittedFactor {
    std::string name; // "gpu/H100 SXM5/gemm_16"
    double log = 0.0; // of the factor, beyond where the fit began
    double prior = 0.0; // standard deviation of that logarithm before the rows
    double spread = 0.0; // and after them
    int rows = 0; // whose step it changes by a twentieth of its own change, or more
};

struct RateFit {
    RateFactors factors;
    std::vector<FittedFactor> fitted;
    // Per row, by place in `fitted`: change of the logarithm of the row's step by that of the
    // factor. Empty for rows that cannot be predicted.
    std::vector<std::vector<std::pair<std::size_t, double>>> slopes;
};

// Rows that cannot be predicted are left out. Empty without rows.
RateFit fitRateFactors(const std::vector<MeasuredJob>& rows, const RateTable& table,
    const RateFactors& start = {}, const FitOptions& options = {});

} // namespace trainscope::predict
