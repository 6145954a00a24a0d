#pragma once
// Answers about a step: measured, replayed, ideal and changed, its critical path, and why ranks
// waited in it. Command line, window, report and figures read this; SI units; absent: not known.

#include "core/analysis/RunStudy.h"
#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/replay/StepGraph.h"

namespace trainscope::analysis {

// The part of the path in one operation, or in the delay before it.
struct PathPiece {
    std::uint32_t operation = 0;
    bool isDelay = false;
    TimeRange when; // replayed, on the common clock
    std::int32_t iteration = -1; // index in StepGraph::iterations whose path it is on
};
struct PathRow {
    std::string name;
    std::string category; // "host" for calls and delays of threads
    int rank = -1;
    double seconds = 0.0; // on the path, of all iterations that count, a step
    // By which a step is shorter if these take no time (StepAnalyses.h); absent: not sought.
    std::optional<double> gainS;
    // Rows off the path alone: by how much each of these may end later (slackOf()).
    std::optional<double> slackS;
};
struct CriticalPath {
    std::vector<PathPiece> pieces; // in order of time; of the iterations that count
    double seconds = 0.0; // a step
    // They sum to `seconds` each.
    std::map<std::string, double> byCategory; // "host" and "delay" among them
    std::map<int, double> byRank;
    std::map<std::string, double> byPhase;
    std::map<std::string, double> byOperator; // those of known operators alone do not
    double hostS = 0.0;
    double exposedOnPathS = 0.0; // communication on the path
    std::vector<PathRow> top; // by seconds, most first, at most 20
    std::vector<PathRow> off; // by slack, least first, at most 20; empty where no gain is sought
};

struct WaitPart {
    std::string cause; // "lower_clock", "slower_kernels", …
    double seconds = 0.0;
};
struct StepWait {
    std::string collective; // "AllReduce along dp"
    int rank = -1; // the one that caused it in the end; -1: nobody's
    double seconds = 0.0; // waiting of the others, a step
    std::string
        cause; // a name of LateReason; kUnexplained where none explains 80 % of the lateness
    double explained = 0.0; // share of the lateness, of the cause, else of all parts together
    std::string text; // "because its kernels take longer, most of all gemm (306 ms)"; of a step
    std::vector<WaitPart> parts; // most first
    std::vector<int> chain; // from `rank` over those that handed it on to the one that came last
    std::vector<int> victims; // those that waited for it in the costliest
    TimeRange worst; // the costliest of them, common clock
};
inline constexpr const char* kUnexplained = "unexplained";
// "slower kernels (92 %)"; without a cause its largest parts: "unexplained (host late 61 %, stalled
// 20 %)".
std::string causeText(const StepWait& wait);

struct AppliedChange {
    std::string text; // as it was asked for
    double gainS = 0.0; // beyond the changes before it; negative: slower
    std::string assumption; // the weakest, a sentence
};

struct ReplayedIteration {
    std::int64_t index = 0;
    double measuredS = 0.0;
    double replayedS = 0.0;
};

struct EdgeShares {
    double recorded = 0.0;
    double inferred = 0.0;
    double assumed = 0.0;
};

struct SlowdownBy {
    std::map<int, double> rank;
    std::map<int, double> stage;
    std::map<std::string, double> kind;
};

struct StepReplay {
    std::shared_ptr<const StepGraph> graph;
    std::shared_ptr<const StepTimes> times; // the changed step's where there are changes
    std::vector<ReplayedIteration> iterations; // those that count
    double measuredS = 0.0; // means over these
    double replayedS = 0.0;
    std::optional<double> unprofiledS; // measured without profiler, where a log of the job has it
    std::optional<double> changedS;
    std::optional<double> changedLowS; // 90 % interval
    std::optional<double> changedHighS;
    std::optional<EstimatedEnergy> energy; // a step, all GPUs
    std::optional<EstimatedEnergy> changedEnergy;
    std::vector<AppliedChange> changes;
    std::optional<double> idealS;
    std::optional<double> slowdown;
    SlowdownBy slowdownBy;
    EdgeShares edges;
    CriticalPath path; // the changed step's where there are changes
    std::vector<StepWait> waits; // by seconds, most first
    std::vector<std::string> notes; // sentences
};

} // namespace trainscope::analysis
