#pragma once
// The iterations that a capture tells of. In this order, the first that gives any:
//
//   recorded ones (marks, a log, ProfilerStep) that lie in it as a whole;
//   its optimizer steps: an iteration goes from the end of one to the end of the next, on the GPU.
//   The first one begins with the capture where a zero_grad precedes all work of the GPU;
//   whole periods of the summed power;
//   recorded ones that its edges cut, of which half or more lies in it: their whole length counts.

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/traces/CaptureWindows.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

struct CaptureIterations {
    // In the place of the run's; empty where the capture tells of none, and `origin` says why.
    RunIterations iterations;
    bool areCut = false; // by the edges of the capture
    TimeRange window; // the capture with all that is cut
    SteadyState state; // the capture in the place of a steady state; its warm-up counts
};

// Cancelled by progress.
Result<CaptureIterations> captureIterations(const RunStudy& study, const CaptureWindows& capture);

} // namespace trainscope::analysis
