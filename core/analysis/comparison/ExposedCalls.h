#pragma once
// The exposed communication of a traced run: of which dimension over which links, how much of it
// waits for ranks that come late, and how fast what crosses nodes is.

#include "core/analysis/RunStudy.h"
#include "core/analysis/comparison/TraceMeasures.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/layout/Layout.h"

#include <map>
#include <optional>
#include <vector>

namespace trainscope::analysis {

struct ExposedCalls {
    std::vector<ExposedCommunication> groups; // the longest first; s, summed over the devices
    // Bus bandwidth of the kind of collectives between nodes that transferred longest, B/s; absent
    // where none could be matched across ranks.
    std::optional<double> betweenNodesBandwidth;
};

// exposed: as CategoryShares tells it, summed over devices. The group of a call is what its trace
// says, else what the layout leaves (nullptr: not known). Waiting and bandwidth are of the calls
// that end in the window, which is on the common clock. Cancelled by progress.
Result<ExposedCalls> exposedCallsOf(const RunStudy& study, const layout::Layout* layout,
    const std::map<CategoryShares::Collective, double>& exposed, const RankClocks& clocks,
    TimeRange window);

} // namespace trainscope::analysis
