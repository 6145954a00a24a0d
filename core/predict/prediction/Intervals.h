#pragma once
// Intervals: the bounds between which a measurement of each figure of a prediction lies nine times
// of ten. Pure; any thread.
//
//   step            how well the constants are known, or what neighbours tell (Prediction.cpp);
//                   tokens/s, FLOP/s and MFU follow it
//   memory          published tables and logs of what allocators reserved
//   power, clock    the constants of PowerSpread moved one by one through the power model, so that
//                   at the power limit the clock takes what the power cannot; what the model leaves
//   temperature     the same, with the air that machines stand in
//   energy          mean power × time, which go against each other: a step that waits longer draws
//                   less, one that computes more slowly draws almost as much for longer

#include "core/predict/Job.h"
#include "core/predict/power/PowerModel.h"

namespace trainscope::predict {

struct Prediction;

inline constexpr double kNinetyPercent = 1.645; // standard deviations to each side

struct Interval {
    double low = 0.0;
    double high = 0.0;
};
// 90 % interval of a value whose logarithm has this standard deviation.
Interval intervalOf(double value, double spread);

struct Intervals {
    Interval tokensPerSecondPerGpu;
    Interval flopsPerGpu;
    Interval mfu;
    Interval memoryB;
    Interval energyJ;
    Interval meanW;
    Interval peakW;
    Interval clockHz;
    Interval hottestC;
};

// Standard deviation of the logarithm of a GPU's memory need.
double memorySpreadOf(int stages, int experts);

// Energy that a longer step adds, as a share of the energy of a step as long as predicted: d ln E /
// d ln t.
double lastingShare(const PowerBasis& basis, double meanW, bool isHeldByPower);

// Intervals of everything but the step, whose bounds the prediction has.
Intervals intervalsOf(const Job& job, const PowerBasis& basis, const Prediction& prediction);

} // namespace trainscope::predict
