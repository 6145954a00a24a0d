#pragma once
// StackTerms of the software that samples are usually taken of, before a calibration. Pure.

#include "core/predict/profile/Profile.h"

#include <string_view>

namespace trainscope::predict {

StackTerms usualStackTerms(std::string_view gpu); // a name of the catalogue

} // namespace trainscope::predict
