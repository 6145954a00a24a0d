#pragma once
// The replay of a step, put together: its graph, simulated as measured, ideal and changed, with
// critical path, energy and the causes of waiting.

#include "core/analysis/replay/StepReplay.h"
#include "core/store/KeptSums.h"

namespace trainscope::analysis {

struct ReplayRequest {
    std::string capture; // empty: all that was traced
    std::optional<std::int64_t> iteration; // alone; absent: all that count
    bool ideal = false; // with the ideal step and the slowdowns
    std::vector<std::string> changes; // "kernel:gemm=0.5x", each on top of those before it
    bool pathAlone = false; // without energy, waits and the step without profiler
};

// The latest graphs of the process are kept, so that another change is answered without reading.
// NotFound without traces, or where a capture or iteration is not there; Usage for a change that
// cannot be read. Cancelled by progress.
Result<StepReplay> replayOf(const RunStudy& study, const ReplayRequest& request);

// Nothing to replay, or too much: no error of who asks for it beside other things.
bool isNotReplayable(const Error& error);
// "20 ms of communication and 534 µs of the host" on the path; operation traces have no host.
std::string pathPartsText(const StepReplay& replay);

// The replay as the database keeps it (store::keepSum()), one of a run, so that another program
// answers without reading traces; imports and what users say of the run make it stale. Once, and
// absent where this process does not have it, where it was read soon, or is too large.
inline constexpr std::size_t kLeastKept = 250'000;
Result<std::optional<store::SumSequence>> replayToKeep(
    const RunStudy& study, const ReplayRequest& request, std::size_t leastOperations = kLeastKept);

} // namespace trainscope::analysis
