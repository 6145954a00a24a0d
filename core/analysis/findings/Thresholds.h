#pragma once
// From where on each rule speaks. Set so that a run without defects gives no findings.

#include "core/analysis/findings/Finding.h"

#include <cstdint>

namespace trainscope::analysis {

inline constexpr double kSeriousCost = 0.05; // of the GPUs' time
inline constexpr double kGradientC = 5.0; // rear − front
inline constexpr double kThrottleFraction = 0.01;
inline constexpr double kStagePowerExcess = 0.05; // above the mean of the other stages
inline constexpr double kExposedFraction = 0.05; // of the traced time
inline constexpr double kIdleFraction = 0.20; // of the traced time
inline constexpr double kHostBoundFraction = 0.05; // of the traced time
inline constexpr double kBubbleOverIdeal = 1.25; // measured / ideal
inline constexpr double kBubbleFraction = 0.05;
inline constexpr double kSwingFraction = 0.10; // peak to peak / mean power
inline constexpr double kSwingPeriods = 5.0; // in the run: slower ones are its course
inline constexpr double kStragglerShare = 0.5; // of its collectives
inline constexpr double kStragglerOverFair = 1.5; // × 1 / ranks
inline constexpr std::int64_t kStragglerCollectives = 20;
inline constexpr double kStragglerWait = 0.005; // caused wait / traced time of the others
inline constexpr double kLinkUse = 0.5; // of the peak while busy
inline constexpr double kLinkTime = 0.01; // transfer time / traced time
inline constexpr double kLinkSaturated = 0.8; // of the peak while busy, by counters
inline constexpr double kHiddenIterations = 0.5; // of an iteration: what the sensor takes
inline constexpr double kMostMfu = 1.0;
inline constexpr double kNodeSpread = 0.05; // std. dev. of node means / mean
inline constexpr double kGpuSlow = 0.90; // clock / median of all
inline constexpr double kGpuPower = 0.80; // power / median of all
inline constexpr double kGpuHotC = 10.0; // above the median of all
inline constexpr double kPcieShare = 0.60; // carried by a quarter of the GPUs
inline constexpr double kPcieBytes = 1e9;
inline constexpr double kCoverage = 0.95;
inline constexpr double kMissingSamples = 0.05;
inline constexpr std::int64_t kClockOffsetNs = 10'000;

constexpr Severity severityOfCost(double cost) {
    return cost >= kSeriousCost ? Severity::Serious : Severity::Attention;
}

} // namespace trainscope::analysis
