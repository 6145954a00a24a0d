#pragma once
// Brings launch configurations to the runs of a plan, and descriptions of machines to those beside
// them. What a format wants is what its importer
// declares (Format in importers/common/Importer.h).

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers {

// LaunchSettings::Beside: fills launchFiles with those that lie in the run's folder, or in those
// above it in which no run lies, the nearest first, and adds notes that name them and what they
// state differently.
void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units);

// Joins::MachineOfRuns: fills machine->runs with the runs that lie in the unit's folder or below,
// or with the run that the unit lies inside of; of which runs a description elsewhere speaks, the
// user says. Where several describe one run, the others are switched off. Each gets a note that
// says so.
void joinMachinesToRuns(const SourceTree& tree, std::vector<ImportUnit>& units);

} // namespace trainscope::importers
