#pragma once
// Intervals: the bounds between which a measurement of each figure of a prediction lies nine times
// of ten. Pure; any thread.
//
//   step            how well the constants are known, or what neighbours tell (Prediction.cpp);
//                   tokens/s, FLOP/s and MFU follow it
//   memory          published tables and logs of what allocators reserved
//   power, clock    the constants of PowerSpread moved one by one through the power model, so that
//                   at the power limit the clock takes what the power cannot; and what the model
//                   leaves
//   temperature     the same, with the air that machines stand in
//   energy          mean power × time, which go against each other: a step that waits longer draws
//                   less, one that computes more slowly draws almost as much for longer

#include "core/predict/Job.h"
#include "core/predict/power/PowerBasis.h"
#include "core/predict/power/PowerModel.h"

#include <cstddef>

namespace trainscope::predict {

struct Prediction;

inline constexpr double kNinetyPercent = 1.645; // standard deviations to each side

struct Interval {
    double low = 0.0;
    double high = 0.0;
};
// Of a value whose logarithm has this standard deviation.
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

// Of the logarithm of what a GPU's memory needs.
double memorySpreadOf(const Job& job);

// Standard deviations of what a node does: of logarithms, of the hottest GPU in K.
struct NodeSpread {
    double meanW = 0.0;
    double peakW = 0.0;
    double clock = 0.0;
    double hottestC = 0.0;
};
// Of a stage's activities, whose seconds are those at the clock that its limits leave.
NodeSpread nodeSpreadOf(
    const Job& job, const PowerBasis& basis, const ActivityTimes& times, bool isHeldByPower);

// Of what a longer step adds to the energy, as a share of that of a step as long as predicted:
// d ln E / d ln t.
double lastingShare(const PowerBasis& basis, double meanW, bool isHeldByPower);

// Of everything but the step, whose bounds are there.
Intervals intervalsOf(const Job& job, const PowerBasis& basis, const Prediction& prediction);

} // namespace trainscope::predict
