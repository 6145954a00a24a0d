#pragma once
// QuickPower: what steps draw, each at the clock that its own work settles at, at the temperature
// that one of them settles at. Near enough to rank layouts of one cluster by, and hundreds of times
// faster than settling each of them: watts are tabulated over the clock. Any thread.

#include "core/predict/power/PowerModel.h"
#include "core/predict/prediction/Prediction.h"

#include <functional>

namespace trainscope::predict {

// Power of one GPU, estimated.
struct PowerEstimate {
    double meanW = 0.0; // over stages
    double busyW = 0.0; // the slowest stage's while it is not waiting, at its limit at most
    double slowdown = 1.0; // on the seconds that it was asked with
    // Bounds that whole predictions stay above: factor on the seconds, and W of a busy GPU, its
    // limit where the work would draw well more.
    double leastSlowdown = 1.0;
    double leastBusyW = 0.0;
    double lowestW = 0.0; // busy, at the lowest clock
    bool isKept = true; // its limit can be, at the lowest clock
};

// Estimate for the slowest stage. balance: mean work of a stage over the slowest's.
using EstimatePower = std::function<PowerEstimate(const ActivityTimes& activities, double balance)>;
// activities: of one of the steps. slowing: what is not in the seconds yet.
EstimatePower quickPower(
    const Job& job, const ActivityTimes& activities, const PowerBasis& basis, Slowing slowing);

} // namespace trainscope::predict
