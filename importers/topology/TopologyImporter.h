#pragma once
// Topologies of a node (TopologyFile.h) as sources: each describes the machine of runs that other
// sources make, of those that lie beside it or are named. One unit per file, of no run yet; import
// is of the runs in unit.machine, or runName, each of which must be there already. No clock.

#include "importers/common/Importer.h"

namespace trainscope::importers::topology {

const Importer& importer();

} // namespace trainscope::importers::topology
