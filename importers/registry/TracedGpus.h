#pragma once
// Finds the GPU of a log that ran a trace which does not name it, and the time zone of a log's
// clock, by the power that follows the trace's kernels.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Fills utcOffsetSeconds of telemetry with ClockKind::Local that has none and, taken as UTC, was
// recorded at another time than a trace, or than telemetry in UTC: where its power follows the
// trace's kernels, or is that of the other log, in one zone only. For a trace, else a note says
// which zones would bring them together. Nothing where a unit says the zone of its machine.
void findZonesByPower(MachineEvidence& evidence);
bool saysOtherTime(std::string_view note); // true for that note

// Brings the numbers of traces and telemetry of each run together:
//  - a log that numbers the GPUs of one node from 0 gets the ranks of the traces, where these are
//    of that node and say their ranks;
//  - traces of one process, or of ranks that nobody numbers, get those of their GPUs: the one that
//    the trace says among those it saw, else the one whose power follows its kernels. Each gets a
//    note that says so, or that nothing tells.
void placeOnGpus(MachineEvidence& evidence);

// A GPU of a run that was recorded while programs worked on it.
struct RecordedGpu {
    int rank = 0;
    int ordinal = -1; // among those that the programs saw; -1: they did not see it
    std::string uuid;
    std::string pciAddress;
};
struct RecordedGpus {
    std::vector<RecordedGpu> gpus;
    int visible = 0; // GPUs that the programs saw, recorded or not
};

// Gives the traces that those programs left the ranks of the GPUs that they are of: by UUID or PCI
// address, where a trace has them; else by the number of its GPU, unless its program saw fewer than
// were there, and so numbered them by itself; else the rank that the trace has, or the only one. On
// a GPU that was not recorded it stands behind all that were. A trace that gets another rank says
// so in a note. Cancelled by progress; what cannot be read keeps its rank.
Status placeOnRecordedGpus(
    const std::vector<PlannedUnit>& units, const RecordedGpus& recorded, const Progress& progress);

} // namespace trainscope::importers
