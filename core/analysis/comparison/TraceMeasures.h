#pragma once
// Parts of the steps of a traced run: exclusive shares of its devices' time, which sum to the step.
//
// At each moment of a device the compute kernels that run share the time equally; collectives have
// it only where no compute runs (exposed); "copy" where only copies and memory sets run; "idle"
// where nothing runs.
// Shares and parts are means over the traced devices: of the iterations that the traces cover to
// 90 % (a device counts in those of which half or more was traced on it: the stages of a pipeline
// begin late and end early); where they cover none, but last 90 % of a step, of the traced time.
// Both are scaled to the step time, which is a median. Else they are of the traced time itself,
// which does not speak for a step.

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/analysis/traces/Phase.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

struct BreakdownPart {
    std::string category; // a key of KernelCategory.h, "copy" or "idle"
    double seconds = 0.0; // see TraceMeasures::basis
    bool isCommunication = false; // then it is exposed
};

// Parts by category, in order of its name; they sum to `seconds`.
struct StageBreakdown {
    int stage = -1; // −1: all traced devices
    int devices = 0;
    double seconds = 0.0;
    std::vector<BreakdownPart> parts;
};

// One kernel in a step, mean over the traced devices; its time overlaps that of others.
struct StepKernel {
    std::string name;
    std::string category;
    double seconds = 0.0; // as the parts, not exclusive
    double count = 0.0; // calls
};

// Exposed communication of one dimension over one class of links.
struct ExposedCommunication {
    std::string dimension; // CommunicatorPlaces::dimensionOf(); empty: the trace does not say
    LinkClass link = LinkClass::Unknown;
    std::string category; // "all_reduce"
    double seconds = 0.0; // as the parts
    // The part of them until the last rank of a collective had started, by the share that its
    // matched calls wait (Collectives.h); absent where none could be matched across ranks.
    std::optional<double> waitS;

    [[nodiscard]] double transferS() const { return seconds - waitS.value_or(0.0); }
};

enum class TraceBasis { Iterations, Scaled, Trace };
constexpr auto namesOf(TraceBasis) {
    return enumNames("iterations", "scaled", "trace");
}

// Σ over devices of … / Σ over devices of the time that counts.
struct TracedShares {
    double busy = 0.0;
    double compute = 0.0;
    double communication = 0.0;
    double exposedCommunication = 0.0;
    double overlap = 0.0;
    double copy = 0.0;
    double idle = 0.0;
};

struct TraceMeasures {
    TraceBasis basis = TraceBasis::Trace;
    std::string wording; // for people: "4 devices, iterations 5 to 7", "… outside the window"
    int devices = 0;
    double tracedS = 0.0; // mean over the devices, from the first kernel to the last one
    double toStep = 1.0; // step time / mean of the covered iterations, which parts are scaled by
    std::vector<std::int64_t> iterations; // those the trace covers
    TracedShares shares;
    std::vector<double> exposedByIteration; // share of each covered iteration, in order of time
    StageBreakdown all; // by kernel category
    std::vector<StageBreakdown> stages; // by stage; empty: one stage, or not known
    ByPhase<double> phases; // seconds, as the parts
    std::vector<StepKernel> kernels; // the longest first, all of them
    std::vector<ExposedCommunication> exposed; // the longest first
    std::optional<double> bubbleFraction; // absent without a pipeline
    // Bus bandwidth of the collectives between nodes that transferred longest, B/s; absent where
    // none could be matched across ranks.
    std::optional<double> betweenNodesBandwidth;
};

// Traces to measure. Ranks with clocks of their own have the window and the iterations on these
// (TraceWindow.h). Absent without a trace. A trace that lies outside the window is taken whole,
// and the wording says so; of a capture it is absent then. Cancelled by progress.
struct TraceScope {
    TimeRange window = kAllTime;
    const RunIterations& iterations;
    std::optional<double> stepTimeS;
    const layout::Layout* layout = nullptr; // nullptr: not known
    const CaptureWindows* capture = nullptr; // its window is that; nullptr: none
};
Result<std::optional<TraceMeasures>> traceMeasures(const RunStudy& study, const TraceScope& scope);

} // namespace trainscope::analysis
