#pragma once
// PyTorch's flight recorder: the last collectives of one process, as it dumps them in JSON
// (torch/csrc/distributed/c10d/FlightRecorder.hpp, version 2.x). Times are unix nanoseconds of the
// host. Pickle, its other form, is a program and not read.

#include "core/layout/ProcessGroup.h"
#include "core/model/Import.h"
#include "core/model/Time.h"
#include "importers/common/Source.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::flightrecorder {

struct FlightEntry {
    std::string name; // "nccl:all_reduce"
    std::string collective; // "all_reduce"
    std::string group; // its name
    std::string state; // "scheduled", "started", "completed"
    std::int64_t sequence = -1; // of collectives of the group; of messages among these
    bool isMessage = false; // point to point
    TimeNs created;
    std::optional<TimeNs> started;
    std::optional<TimeNs> completed;
    std::optional<std::int64_t> durationNs;
    std::string inputSizes; // JSON
    std::string outputSizes;
    std::string dataType; // of the first input
    std::int64_t elements = 0; // of all inputs
};

struct FlightHeader {
    std::string version;
    std::optional<int> rank;
    std::vector<layout::ProcessGroup> groups;
};

struct FlightDump {
    FlightHeader header;
    std::uint64_t bytes = 0;
    std::int64_t broken = 0;
    std::string problem; // why it ended early
};

bool isFlightDump(std::string_view head);

// Entries in the order of the file; two passes over it, since what groups are may stand behind.
Result<FlightDump> readFlightDump(const SourceTree& tree, const std::string& path,
    const std::function<Status(const FlightEntry&, const FlightHeader&)>& entry,
    const Progress& progress);

} // namespace trainscope::importers::flightrecorder
