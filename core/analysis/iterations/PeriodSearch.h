#pragma once
// The fundamental period of a signal such as the summed power of a training run, whose iterations
// repeat one shape but never quite in time.
//
// Candidates are the peaks of the autocorrelation, which compares each repetition with the next and
// so does not care that they drift apart over the run; slow drift is taken away first, at several
// scales. Among candidates that divide one another (a step and the micro-batches in it) the longer
// one is taken only where most of the signal is clearly more like itself after it. A period counts
// only if most parts of the record show it by themselves.

#include "core/analysis/telemetry/UniformSeries.h"

#include <optional>

namespace trainscope::analysis {

struct SignalPeriod {
    double steps = 0.0; // of the signal's grid
    double strength = 0.0; // the autocorrelation there, 0 … 1
};

// Absent where no period stands out, it is shorter than three steps, or the record does not hold
// four of it.
std::optional<SignalPeriod> findPeriod(const UniformSeries& signal);

} // namespace trainscope::analysis
