#pragma once
// Factors on the constants of a cost model that explain measured steps: the most likely ones where
// each constant's logarithm is spread about its table's value as RateField::prior says, and
// measured steps about the predicted ones with heavy tails, so that a few wrong rows do not bend
// the rest. Gauss-Newton with reweighting. Any thread.

#include "core/predict/Job.h"
#include "core/predict/cost/Rates.h"

namespace trainscope::predict {

struct FitOptions {
    double noise = 0.04; // standard deviation of the logarithm of a step, apart from outliers
    int rounds = 12; // at most
};

// A factor that was fitted.
struct FittedFactor {
    std::string name; // "gpu/H100 SXM5/gemm_16"
    double log = 0.0; // the factor's, beyond where the fit began
    double prior = 0.0; // standard deviation of that logarithm before the rows
    double spread = 0.0; // and after them
    int rows = 0; // rows on whose step it has a twentieth of its own change, or more
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

// "share of the peak that large products in 16 bits reach"; empty for an unknown key.
std::string_view meaningOf(std::string_view key);

// "gemm_16" of "gpu/H100 SXM5/gemm_16", and whose it is: "H100 SXM5", "megatron-lm", "all".
struct FactorName {
    std::string owner;
    std::string key;
};
FactorName factorNameOf(std::string_view name);

// Those that the rows tell: known better than before by a fifth or moved by more than 2 %. The
// best known come first.
std::vector<FittedFactor> toldFactors(const RateFit& fit);

} // namespace trainscope::predict
