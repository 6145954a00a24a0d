#pragma once
// TimelineMark: what the user marked in a run, drawn over its timeline.

#include "core/model/Time.h"

#include <string>

namespace trainscope::plot {

struct TimelineMark {
    std::string run; // by name
    TimeRange range; // absolute; a moment where begin equals end
    std::string label;
    bool operator==(const TimelineMark&) const = default;
};

} // namespace trainscope::plot
