#pragma once
// Joins the sources that one folder holds of one job: its traces, the log of its launcher, the
// readings of its machine. A folder is that of one run where it holds, with all folders below it,
// one source of each kind at most and none of another machine, time or world. Several logs of the
// same GPUs count as one.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Changes runName of units that state no run (Joins::RunBeside): to the run of their folder that
// others state, else to the folder's path. Each gets a note that says so.
void joinRunsOfFolders(MachineEvidence& evidence);

} // namespace trainscope::importers
