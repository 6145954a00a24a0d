#pragma once
// ActivityPowers of a run's traced GPUs (RunPower.h). Any thread that owns the store.

#include "core/analysis/RunStudy.h"
#include "core/predict/power/RunPower.h"

namespace trainscope::predict {

// Absent where no GPU has trace and power at the same time with readings enough. The clock is left
// at 1.
Result<std::optional<ActivityPowers>> activityPowers(
    const analysis::RunStudy& study, double highestW);

} // namespace trainscope::predict
