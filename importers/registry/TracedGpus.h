#pragma once
// Which GPU of a log ran a trace that does not say so, and which zone a log's clock is in, by the
// power that follows the trace's kernels.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Fills utcOffsetSeconds of telemetry with ClockKind::Local that has none and, taken as UTC, was
// recorded at another time than a trace: where its power follows the trace's kernels in one zone
// only. Else a note says which zones would bring them together. Nothing where a unit says the zone
// of its machine (LocalClocks.h).
void findZonesByPower(MachineEvidence& evidence);

// Changes the rank of traces of one process or of ranks that nobody numbers, where their run has
// telemetry of more GPUs: to the GPU that the trace says among those it saw, else to the one whose
// power follows its kernels. Each gets a note that says so, or that nothing tells.
void placeTraces(MachineEvidence& evidence);

} // namespace trainscope::importers
