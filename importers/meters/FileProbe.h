#pragma once
// Facts in the first bytes of a telemetry file, by reading them into nothing.

#include "importers/meters/Formats.h"

#include <set>
#include <string>

namespace trainscope::importers::meters {

struct FileProbe {
    const MeterFormat* format = nullptr; // nullptr: none knows it
    std::size_t gpus = 0;
    std::size_t nodes = 0;
    std::size_t switches = 0;
    std::set<std::string> metrics;
    std::string gpuModel;
    std::optional<StampKind> clock; // of the first stamp
    std::optional<TimeNs> start; // as written
    bool isUntimed = false; // some readings have no stamp
};
FileProbe probeMeters(const SourceTree& tree, const std::string& path);

// Distance of each clock from that of most files, as whole quarters of an hour; 0 where starts are
// not such a step apart. `starts`: first stamps, absent where there is none.
std::vector<DurationNs> clockSteps(const std::vector<std::optional<TimeNs>>& starts);

} // namespace trainscope::importers::meters
