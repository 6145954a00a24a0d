#pragma once
// A replayed or changed step as a run of the database, with the shape of an imported one: what the
// traces of the run had while the iterations that count ran, each span at its simulated time. Spans
// that are no operation of the graph (operators, annotations) lie between the calls of their thread
// as they did; work that a change took away is gone. Nothing that was not simulated is there: no
// telemetry, nor threads without a call.

#include "core/analysis/replay/Replay.h"

namespace trainscope::analysis {

// "train, if host=0x"; without changes "train, replayed".
std::string savedReplayName(const Run& run, const ReplayRequest& request);

// `store`: the study's database, another one than the study reads, open for writing. A saved step
// of that name is replaced; Refused for the name of any other run. Cancelled by the study's
// progress, with the database as it was.
Status saveReplay(store::Store& store, const RunStudy& study, const ReplayRequest& request,
    const StepReplay& replay, const std::string& name);

} // namespace trainscope::analysis
