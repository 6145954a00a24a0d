#pragma once
// The part of a run that speaks for its steady state: its whole iterations without warm-up and
// without those before the temperatures have settled (Temperature.h); what `summary --steady` and
// the views' default use.

#include "core/analysis/iterations/Iterations.h"

namespace trainscope::analysis {

enum class SteadyBasis {
    Iterations, // from the begin of the first steady iteration to the end of the last
    Settling, // without iterations: from the moment the temperatures have settled to the end
    WholeRun,
    Capture, // a capture that was asked for, in its place
};
constexpr auto namesOf(SteadyBasis) {
    return enumNames("iterations", "settling", "whole_run", "capture");
}

struct SteadyState {
    TimeRange window; // for the whole run: from its first sample or span to its last
    SteadyBasis basis = SteadyBasis::WholeRun;
    bool isWholeRun = true;
    std::int64_t iterations = 0; // whole ones in the window
    std::int64_t warmupIterations = 0; // left out
    std::int64_t unsettledIterations = 0; // left out, warm-up not counted again
    std::optional<TimeNs> settledFrom; // all GPUs; absent: not known, or never
    // "iterations 3 to 11; 2 of warm-up and 1 before the temperatures settled are left out", or why
    // the whole run is used.
    std::string wording;
};

// Cancelled by progress.
Result<SteadyState> steadyStateOf(const RunStudy& study);

} // namespace trainscope::analysis
