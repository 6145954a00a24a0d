#pragma once
// Iterations from power: the fundamental period of a signal, and where each repetition begins; and
// the spectrum of the summed power of a run's GPUs over its steady part, as figure and findings
// tell it. The amplitude of a line is that of its sine, half of the peak-to-peak swing, between the
// bins (Burstiness.h).

#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/telemetry/Burstiness.h"
#include "core/analysis/telemetry/UniformSeries.h"

namespace trainscope::analysis {

struct PowerSpectrum {
    UniformSeries power; // summed over those recorded throughout, W
    std::vector<Series> leftOut; // power of the other GPUs
    SteadyState state; // the window; the whole run where the steady part is too short for lines
    std::vector<SpectralLine> lines; // strongest first
};

// Absent without power of GPUs recorded at the same time. Over the whole run where that is asked
// for. Cancelled by progress.
Result<std::optional<PowerSpectrum>> powerSpectrumOf(
    const RunStudy& study, bool wholeRun, std::size_t mostLines);

// The fundamental period of a signal such as the summed power of a training run, whose iterations
// repeat one shape but never quite in time.
//
// Candidates are the peaks of the autocorrelation, which compares each repetition with the next and
// so does not care that they drift apart over the run; slow drift is taken away first, at several
// scales. Among candidates that divide one another (a step and the micro-batches in it) the longer
// one is taken only where most of the signal is clearly more like itself after it. A period counts
// only if most parts of the record show it by themselves.
struct SignalPeriod {
    double steps = 0.0; // period in steps of the signal's grid
    double strength = 0.0; // the autocorrelation there, 0 … 1
};

// Absent where no period stands out, it is shorter than three steps, or the record does not hold
// four of it.
std::optional<SignalPeriod> findPeriod(const UniformSeries& signal);

// Follows the repetitions of a shape whose length is about known: where each begins, though the
// lengths vary (warm-up, checkpoints) and the signal pauses.
//
// The shape is the average of the record folded where it repeats best; a repetition begins at its
// steepest rise. A filter matched to the shape tells how well it fits at each step; beginnings are
// the sequence that fits best while its distances stay near the period, found by dynamic
// programming as in D. P. W. Ellis, "Beat tracking by dynamic programming", J. New Music Res. 36
// (2007). A distance of 0.6 to 3 periods is a repetition; over longer ones the sequence starts
// anew.

// Whole repetitions in order of time, each beginning within a step of the signal of the true one;
// neighbours share a boundary. Empty where the shape does not repeat at about that period: fewer
// than three repetitions, or most of them off the period by more than a fifth.
std::vector<TimeRange> trackPeriods(const UniformSeries& signal, double periodSteps);

} // namespace trainscope::analysis
