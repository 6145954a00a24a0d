#pragma once
// The call trees of a run's ranks, from what was kept of them (sums over slices, made at import) or
// from the traces themselves where nothing was.

#include "core/analysis/operators/CallTree.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/store/KeptSums.h"

namespace trainscope::analysis {

// Ranks that a run has traces of, ascending: of their devices; of their hosts where no device was
// traced.
Result<std::vector<int>> tracedRanks(const RunStudy& study);

// The tree of one rank in a window; kAllTime: of all. Blocking; for a worker. Cancelled by
// progress.
Result<CallTree> callTree(const RunStudy& study, int rank, TimeRange window = kAllTime);

// The trees of several windows of a rank, in turn.
Status forEachCallTree(const RunStudy& study, int rank, const std::vector<TimeRange>& windows,
    const std::function<Status(std::size_t window, const CallTree& tree)>& tell);

// The trees of all ranks, merged; the window is on the clock of each.
Result<CallTree> callTree(const RunStudy& study, const RankWindow& window);
Result<CallTree> callTree(const RunStudy& study, TimeRange window = kAllTime);

// The trees of all ranks in slices, to be kept with the other sums of the traces (TraceSums.h).
Result<std::vector<store::SumSequence>> sumCallTrees(const RunStudy& study);

} // namespace trainscope::analysis
