#pragma once
// Joins the units of a plan: logs to the run that they watched, launch configurations to runs, and
// descriptions of machines to the runs beside them. What a format wants is what its importer
// declares (Format in importers/common/Importer.h).

#include "importers/common/Importer.h"
#include "importers/registry/MachineEvidence.h"

#include <vector>

namespace trainscope::importers {

// Joins::RunBeside: changes runName to the run in whose folder the unit lies, else to the only run
// in the unit's folder or below it. Of a folder with several such units of one format there is no
// telling which is that run's. Those that lie beside no run are joined with each other
// (LoneUnits.h).
void joinRunsBeside(
    const SourceTree& tree, std::vector<ImportUnit>& units, MachineEvidence& evidence);

// LaunchSettings::Beside: fills launchFiles with those that lie in the run's folder, or in the one
// above it where that holds no other run, and adds a note that names them.
void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units);

// Joins::MachineOfRuns: fills machine->runs with the runs that lie in the unit's folder or below,
// or with the run that the unit lies inside of; of which runs a description elsewhere speaks, the
// user says. Where several describe one run, the others are switched off. Each gets a note that
// says so.
void joinMachinesToRuns(const SourceTree& tree, std::vector<ImportUnit>& units);

} // namespace trainscope::importers
