#pragma once
// Joins runs of a plan that were recorded of one machine at one time: telemetry and traces of the
// same GPUs, as their UUIDs, models, numbers, stamps and power tell.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Makes one run of those whose telemetry and traces share GPUs and time; each unit that gets
// another run says so in a note. Runs are joined where
//  - logs of one GPU each lie beside each other, by names that number GPUs; or
//  - traces of sibling folders are the ranks of one world at one time, as of its hosts; or
//  - UUIDs are the same; or
//  - a trace begins while telemetry was recorded that has as many GPUs of its model, and no other
//    telemetry could be meant; or
//  - two logs in one folder, or in folders of which one holds the other, are of one time, have as
//    many GPUs and read alike, unless their names differ in numbers only, as those of nodes do. Two
//    logs of the same metrics by one program are one only where a trace is of both.
// Runs of a database (PlannedUnit::known) are joined as if they lay beside each; they keep their
// names, and a source of another machine or time whose run has such a name gets another one.
// Contradictions are never joined, and clocks without a zone count as UTC unless the power tells
// their zone. Traces get the ranks of their GPUs, or logs those of the traces (TracedGpus.h).
void joinOneMachine(MachineEvidence& evidence);

} // namespace trainscope::importers
