#pragma once
// Names and meanings of the factors on constants, as people read them.

#include "core/predict/calibration/RateFit.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::predict {

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
