#pragma once
// Machines of runs in an import: the runs of a database that a source describes without making one
// itself (ImportUnit::machine), and the GPUs that the user names.

#include "core/layout/Cluster.h"
#include "importers/common/Importer.h"

namespace trainscope::app {

struct DescribedRuns {
    std::vector<std::string> names; // not empty
    std::vector<std::string> warnings; // runs that it does not fit, or does not fill
};

// The unit's runName; without one the runs beside it, and without these the only run there is.
// NotFound where there is none of them or no telling which; Usage where their nodes have GPUs that
// the unit does not know. Both say what to do.
Result<DescribedRuns> describedRuns(const store::Store& store, const importers::ImportUnit& unit);

// Tells how the machine fits a run with these GPUs: one vendor, and no more GPUs than it has.
layout::MachineFit fitOf(const importers::MachineUnit& machine, const std::vector<Gpu>& gpus);

// Says the model of the GPUs of a run; an empty one takes back what was said. And of the run that
// was imported under a name, with the order of the air where it is not empty; NotFound without one.
Status sayGpuModel(store::Store& store, RunId run, const std::string& model);
Status sayMachine(store::Store& store, const std::string& name, const std::string& model,
    const std::vector<int>& airflow);

// Gives them the topology of these facts, JSON of core/layout/Topology.h; all else that was
// said of their machines stays.
Status describeRuns(
    store::Store& store, const std::vector<std::string>& names, const std::string& facts);

} // namespace trainscope::app
