#pragma once
// A predicted job as a run that was made would have it.

#include "core/predict/Job.h"

namespace trainscope::predict {

// What a launch configuration would say of the job.
LaunchConfig launchOf(const Job& job);

} // namespace trainscope::predict
