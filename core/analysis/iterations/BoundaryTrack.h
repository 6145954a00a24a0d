#pragma once
// Follows the repetitions of a shape whose length is about known: where each begins, though the
// lengths vary (warm-up, checkpoints) and the signal pauses.
//
// The shape is the average of the record folded where it repeats best; a repetition begins at its
// steepest rise. How well the shape fits at each step is a filter matched to it; the beginnings are
// the sequence that fits best while its distances stay near the period, found by dynamic
// programming as in D. P. W. Ellis, "Beat tracking by dynamic programming", J. New Music Res. 36
// (2007). A distance of 0.6 to 3 periods is a repetition; over longer ones the sequence starts
// anew.

#include "core/analysis/telemetry/UniformSeries.h"

#include <vector>

namespace trainscope::analysis {

// Whole repetitions in order of time, each beginning within a step of the signal of the true one;
// neighbours share a boundary. Empty where the shape does not repeat at about that period: fewer
// than three repetitions, or most of them off the period by more than a fifth.
std::vector<TimeRange> trackPeriods(const UniformSeries& signal, double periodSteps);

} // namespace trainscope::analysis
