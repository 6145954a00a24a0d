#pragma once
// The captures of one name as a part of their run, which parts a run has, and the iterations that a
// capture tells of. In this order, the first that gives any:
//
//   recorded ones (marks, a log, ProfilerStep) that lie in it as a whole;
//   its optimizer steps: an iteration goes from the end of one to the end of the next, on the GPU.
//   The first one begins with the capture where a zero_grad precedes all work of the GPU;
//   whole periods of the summed power;
//   recorded ones that its edges cut, of which half or more lies in it: their whole length counts.

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"

namespace trainscope::analysis {

struct CaptureWindows {
    std::string name;
    // Windows of ranks that have captures of that name, on the clock of each: from the begin of the
    // first to the end of the last.
    std::map<int, TimeRange> byRank;
    TimeRange window; // from the earliest to the latest of them, on the common clock

    // A rank without a capture of that name has the stretch of the others.
    [[nodiscard]] TimeRange of(int rank) const;
    // The window with what ends together with it.
    [[nodiscard]] TimeRange closed() const { return {window.begin, window.end + DurationNs{1}}; }
    [[nodiscard]] std::string wording() const; // "the capture 'eager-16'"
};

// Captures of one name as one stretch over all its ranks, by begin. Pure.
std::vector<Capture> capturesByName(std::vector<Capture> captures);
// All of a run that names tell apart: none where they are the files of its ranks, one each.
std::vector<Capture> namedCaptures(std::vector<Capture> captures);
// Those of them that are parts of the run, to be compared with each other. Pure.
std::vector<Capture> partsByCapture(std::vector<Capture> captures);

// NotFound names the captures there are. Cancelled by progress.
Result<CaptureWindows> captureWindows(const RunStudy& study, const std::string& name);

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
