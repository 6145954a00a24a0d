#pragma once
// Joins runs of a plan that were recorded of one machine, or of the machines of one job, as facts
// tell.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Makes one run of those whose sources state that they are of one job or of the same GPUs; each
// unit that gets another run says so in a note. Runs are joined where
//  - logs of GPUs, nodes or ranks lie beside each other, by words and numbers in their paths; or
//  - traces of sibling folders are the ranks of one world at one time, as of its hosts; or
//  - UUIDs are the same; or
//  - the power of a log follows the kernels of a trace, and that of no other log does.
// Runs of a database (PlannedUnit::known) are joined as if they lay beside each; they keep their
// names, and a source of another machine or time whose run has such a name gets another one.
// Contradictions are never joined, and clocks without a zone count as UTC unless the power tells
// their zone. Traces get the ranks of their GPUs, or logs those of the traces (TracedGpus.h).
void joinOneMachine(MachineEvidence& evidence);

} // namespace trainscope::importers
