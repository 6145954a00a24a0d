#pragma once
// Finds the GPU of a log that ran a trace which does not name it, and the time zone of a log's
// clock, by the power that follows the trace's kernels.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Fills utcOffsetSeconds of telemetry with ClockKind::Local that has none and, taken as UTC, was
// recorded at another time than a trace: where its power follows the trace's kernels in one zone
// only. Else a note says which zones would bring them together. Nothing where a unit says the zone
// of its machine (LocalClocks.h).
void findZonesByPower(MachineEvidence& evidence);

// Brings the numbers of traces and telemetry of each run together:
//  - a log that numbers the GPUs of one node from 0 gets the ranks of the traces, where these are
//  of
//    that node and say their ranks;
//  - traces of one process, or of ranks that nobody numbers, get those of their GPUs: the one that
//    the trace says among those it saw, else the one whose power follows its kernels. Each gets a
//    note that says so, or that nothing tells.
void placeOnGpus(MachineEvidence& evidence);

} // namespace trainscope::importers
