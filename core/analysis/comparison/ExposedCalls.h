#pragma once
// The exposed communication of a traced run: of which dimension over which links, how much of it
// waits, and how fast what crosses nodes is.

#include "core/analysis/comparison/StepMeters.h"
#include "core/analysis/comparison/TraceMeasures.h"
#include "core/analysis/traces/GroupPlaces.h"
#include "core/layout/Layout.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

// Which group a collective belongs to where the trace does not say it, by the layout of the run
// and what it does; absent where the layout leaves more than one.

struct GuessedGroup {
    std::string dimension; // key of the CommunicatorKind: "pp"
    LinkClass link = LinkClass::Unknown;
};

// By kernel category ("send_recv"). Messages are those of the pipeline, or of experts where there
// is no pipeline; all-to-alls are of experts; the others of the only dense group of several ranks.
std::map<std::string, GuessedGroup> guessGroups(const layout::Layout& layout);

// What the exposed communication of a traced run is: of which dimension over which links, how much
// of it waits for ranks that come late, and how fast what crosses nodes is.

struct ExposedCalls {
    std::vector<ExposedGroup> groups; // the longest first; s, summed over the devices
    // Bus bandwidth of the kind of collectives between nodes that transferred longest, B/s; absent
    // where none could be matched across ranks.
    std::optional<double> betweenNodesBandwidth;
};

// exposed: as a TimeShareMeter tells it, summed over devices. The group of a call is what its trace
// says, else what the layout leaves (GroupGuess.h; nullptr: not known). Waiting and bandwidth are
// of the calls that end in the window. Cancelled by progress.
Result<ExposedCalls> exposedCallsOf(const store::Store& store, const Run& run,
    const layout::Layout* layout, const std::map<TimeShareMeter::Collective, double>& exposed,
    TimeRange window, const Progress& progress = {});

} // namespace trainscope::analysis
