#pragma once
// ActivityPowers of a run's traced GPUs (RunPower.h). Any thread that owns the store.

#include "core/predict/power/RunPower.h"

namespace trainscope::predict {

// Absent where no GPU has trace and power at the same time with readings enough. The clock is left
// at 1.
Result<std::optional<ActivityPowers>> activityPowers(
    const store::Store& store, const Run& run, double highestW, const Progress& progress);

} // namespace trainscope::predict
