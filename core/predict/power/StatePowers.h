#pragma once
// StatePowers from samples of GPUs (RunPower.h). Pure; any thread.

#include "core/predict/power/RunPower.h"

#include <vector>

namespace trainscope::predict {

// One GPU in a step of time; NaN: not known.
struct PowerMoment {
    double watts = 0.0;
    double clockHz = 0.0;
    double utilization = 0.0;
    double celsius = 0.0;
};

// gpu: the voltages and leakage that bring powers from one clock to another. byGpu: in order of
// time; the first `fitted` share of each is fitted.
StatePowers statePowers(
    const GpuPower& gpu, const std::vector<std::vector<PowerMoment>>& byGpu, double fitted = 0.6);

} // namespace trainscope::predict
