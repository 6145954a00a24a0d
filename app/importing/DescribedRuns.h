#pragma once
// Which runs of a database a source describes that makes none itself (ImportUnit::machine).

#include "core/store/Store.h"
#include "importers/common/Importer.h"

#include <string>
#include <vector>

namespace trainscope::app {

struct DescribedRuns {
    std::vector<std::string> names; // not empty
    std::vector<std::string> warnings; // runs that it does not fit, or does not fill
};

// The unit's runName; without one the runs beside it, and without these the only run there is.
// NotFound where there is none of them or no telling which; Usage where their nodes have GPUs that
// the unit does not know. Both say what to do.
Result<DescribedRuns> describedRuns(const store::Store& store, const importers::ImportUnit& unit);

// Gives them the topology of these facts, JSON of core/layout/Topology.h; all else that was
// said of their machines stays.
Status describeRuns(
    store::Store& store, const std::vector<std::string>& names, const std::string& facts);

} // namespace trainscope::app
