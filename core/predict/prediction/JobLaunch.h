#pragma once
// A predicted job as a run that was made would have it.

#include "core/predict/Job.h"

namespace trainscope::predict {

// Launch configurations say clocks in whole MHz.
inline constexpr double kHzOfMhz = 1e6;

// A launch configuration that describes the job; RunRequest.h reads it back.
LaunchConfig launchOf(const Job& job);

} // namespace trainscope::predict
