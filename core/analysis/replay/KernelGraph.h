#pragma once
// The step graph of a run as traced: of an iteration and the ones before and after it, or of all
// that count where the traces are short; of all traced ranks on one clock. RankTrace.h
// tells its edges; parts of collectives are matched as in Collectives.h. An iteration begins and
// ends for a rank with the next call of the thread that marked it, where it has one; iterations
// that are told by the device's work, with that.
//
// A trace of operations gives all of its steps.
// Refused where an iteration has more than kMostOperations. Reads on the pool of workers; blocking;
// cancelled by progress.

#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

struct StepChoice {
    std::optional<std::string> capture; // by name
    // By its index; absent: the one nearest the median of those that count, or all of them where
    // the traces have at most kFewSpans.
    std::optional<std::int64_t> iteration;
};

inline constexpr std::size_t kMostOperations = 8'000'000;
inline constexpr std::int64_t kFewSpans = 500'000;

// NotFound: no traces, no such capture or iteration.
Result<std::shared_ptr<const StepGraph>> stepGraphOf(
    const RunStudy& study, const StepChoice& choice = {});

// The step graph of a trace of operations (core/model/SpanFacts.h), by the dependency model of
// StragglerAnalysis (arXiv 2505.05713, section 3; analyzer/dependency_model.py of its artifact):
// computes of a rank in order; a send behind its compute, a compute behind its receive, a receive
// behind the compute before; parameters gathered before the first compute of their chunk; behind
// the last one gradients of norms and embeddings, gradients scattered, clipped, and the optimizer.
// Parts of a message or collective are matched by their number. Steps stand each for themselves.

// True of the tracks of a trace of operations.
bool isOfOperations(const std::vector<Track>& tracks);

// Traces may have transfers alone, from the last part's arrival on. The parts' own arrivals are
// then as far behind what they waited for as the last one's was, and a note says so. Tracks have
// the data rank, by which slowdowns are told.
Result<StepGraph> operationGraph(const RunStudy& study);

// The iterations that a step graph is of.

struct ChosenSteps {
    std::vector<StepIteration> iterations; // without the moments of ranks
    std::map<int, std::vector<TimeRange>> byRank; // the same on the clock of each rank
    std::map<int, TimeRange> windows; // to be read, on the clock of each rank
    TimeRange window; // on the common clock
    bool areOfDevice = false; // their edges are those of work on the device
    std::vector<std::string> notes;
};

// devices: at least one. A trace without iterations counts as one. NotFound as stepGraphOf().
Result<ChosenSteps> chosenSteps(const RunStudy& study, const StepChoice& choice,
    const std::vector<DeviceTracks>& devices, const RankClocksPtr& clocks);

} // namespace trainscope::analysis
