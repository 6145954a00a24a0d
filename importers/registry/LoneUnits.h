#pragma once
// Sources that name no run and lie beside none (logs of telemetry, of training, of node power):
// which of them watched the same run.

#include "importers/common/Importer.h"
#include "importers/common/RunFolders.h"
#include "importers/registry/MachineEvidence.h"

#include <cstddef>
#include <vector>

namespace trainscope::importers {

// `lone`: places in `units`, all with a file and a format. Looks from the deepest folders upwards:
//  - one source of each format in a folder and below it: one run, named like the folder, or that
//    run which is the only one there;
//  - several of one format: those of different formats whose names agree best with each other, in
//    words that no other pair shares ("x_019b_smi.csv" and "x_019b_train.txt", "result_3.txt" and
//    "power/result_3/"), become a run of that name.
// Sources whose first stamps are more than a week apart, or whose machines contradict each other,
// are never of one run. What is left makes a run of its own. Each joined unit gets a note that says
// so.
void joinLoneUnits(const RunFolders& folders, std::vector<ImportUnit>& units,
    std::vector<std::size_t> lone, MachineEvidence& evidence);

} // namespace trainscope::importers
