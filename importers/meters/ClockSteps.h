#pragma once
// Files of one unit whose clocks are of another zone than those of most.

#include "importers/meters/MeterProbe.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters {

// Distance of a file's begin from that of most others of its unit, if zones can be so far apart.
// The file is of another zone when its end is as far from theirs, else of another time.
struct ClockStep {
    DurationNs apart{0};
    bool isOfZone = false;
};

// One for each file. Only where more than half of the files begin together is another one wrong.
std::vector<ClockStep> clockSteps(const SourceTree& tree, const std::vector<std::string>& files,
    const std::vector<FileProbe>& probes);
// A sentence for people, of a step that is not zero.
std::string stepNote(std::string_view path, const ClockStep& step);

} // namespace trainscope::importers::meters
