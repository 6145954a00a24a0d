#pragma once
// A run in the Trace Event Format, which Perfetto and chrome://tracing open: all ranks in one file
// on the reference clock (core/analysis/traces/RankClocks.h), and telemetry as counter tracks.
//
// Times are microseconds since the run's start with three decimals; baseTimeNanoseconds says that
// start, as Kineto does. A rank has two processes, its host and its GPU; nodes, switches and the
// run itself have one each, behind them. Spans that overlap without one containing the other stand
// on threads of their own, since the format has no overlap. A launch is joined by a flow to the
// first thing that it launched. Counters are rates; missing samples have no event, as the format
// knows none.

#include "app/cli/output/RunExport.h"

namespace trainscope::cli {

struct ChromeTraceResult {
    std::int64_t events = 0;
    std::vector<std::string> remarks; // ranks whose clock stays as it is, and why
};

// Writes request.folder, which is the file here; gzip where its name ends in ".gz".
Result<ChromeTraceResult> exportChromeTrace(
    const store::Store& store, const ExportRequest& request, const KeepGoing& keepGoing);

} // namespace trainscope::cli
