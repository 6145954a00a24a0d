#pragma once
// Steps of planImport() that it alone takes; Copies in a source of its own.

#include "importers/registry/MachineEvidence.h"

namespace trainscope::importers {

// Structure: execution traces with the Kineto traces of their processes. A Kineto trace of the same
// rank whose events are of the execution trace's process gets it as its partner, and gives it its
// run; the nearest by folders, where there are several. Among execution traces of one process
// PyTorch's own is taken, since it has tensors that Chakra's may lack, and the others are switched
// off. To be called before units are joined to runs.
void joinStructure(const SourceTree& tree, std::vector<ImportUnit>& units);

// Copies: files of the same bytes, and logs whose lines are those of another one, with prefixes or
// further lines around them, as a container's runtime keeps them. Switches off those that are
// copies of other units (copyOf), each with a note that says so; of two logs the one with more
// readings stays; a trace of that name and rank in another format, which begins at the same time,
// is one too. Attempts that repeat another one of their folder are attempts no longer. Reads files
// in step, in 4 MB of memory. False: stopped by progress.
bool leaveOutCopies(const SourceTree& tree, ImportPlan& plan, const Progress& progress);

// Joining: launch configurations of the runs, and descriptions of machines, as the importers
// declare (Format). LaunchSettings::Beside: fills launchFiles with those that lie in the run's
// folder, or in those above it in which no run lies, the nearest first, and adds notes that name
// them and what they state differently.
void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units);
// Joins::MachineOfRuns: fills machine->runs with the runs that lie in the unit's folder or below,
// or with the run that the unit lies inside of; of which runs a description elsewhere speaks, the
// user says. If several describe one run, the others are switched off. Each gets a note that
// says so.
void joinMachinesToRuns(const SourceTree& tree, std::vector<ImportUnit>& units);

} // namespace trainscope::importers
