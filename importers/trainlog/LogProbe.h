#pragma once
// Facts that a few parts of a training log tell before it is imported: its dialect, its clock, the
// GPUs that it names.

#include "core/model/Time.h"
#include "importers/common/Importer.h"
#include "importers/trainlog/Dialect.h"

#include <optional>
#include <string>
#include <string_view>

namespace trainscope::importers::trainlog {

struct LogProbe {
    const Dialect* dialect = nullptr; // nullptr: no iteration in these parts
    std::int64_t steps = 0;
    std::int64_t marks = 0; // intervals and evaluations of a log that may have no iteration
    ClockKind clock = ClockKind::None;
    std::optional<TimeNs> firstStamp; // of a local clock as if that were UTC
};

// A part of a log; its first and last line may be cut.
LogProbe probePart(std::string_view part);
// The parts of a file that tell most: its begin, its end and some between.
LogProbe probeFile(const SourceTree& tree, const std::string& path);

// True for a part that is worth reading for iterations; quick.
bool mayHoldSteps(std::string_view part);

} // namespace trainscope::importers::trainlog
