#pragma once
// A capture: one stretch of a rank that a profiler recorded, as a trace file or a part of it.
// Captures of one rank follow each other; stretches that overlap in time are of different ranks.

#include "core/model/Time.h"

#include <string>

namespace trainscope {

struct Capture {
    std::string name; // the file's, without its endings: "eager-16"
    int rank = 0;
    TimeRange range; // from the first to the last thing recorded in it

    bool operator==(const Capture&) const = default;
};

} // namespace trainscope
