#pragma once
// Facts about the run in the top-level members of a trace: distributedInfo, deviceProperties,
// baseTimeNanoseconds and the versions. They may stand before or behind traceEvents.

#include "importers/common/JsonScanner.h"

#include <map>
#include <optional>
#include <string>

namespace trainscope::importers::kineto {

struct TraceHeader {
    std::optional<int> rank; // distributedInfo.rank
    int worldSize = 0; // distributedInfo.world_size, 0: not said
    std::optional<std::int64_t> baseNs; // added to every time stamp
    std::map<int, std::string> deviceNames; // deviceProperties by id: all visible GPUs
    std::map<int, std::string> deviceUuids; // likewise, of those that have one
    std::map<int, std::string> devicePciAddresses; // likewise
    std::map<std::string, std::string> facts; // everything else worth showing, by a readable name
    bool isExecutionTrace = false; // has "nodes": PyTorch execution trace or Chakra, not Kineto

    void take(std::string_view key, const JsonToken& value);
    // The model of that device, or of the only one there is; empty: not said.
    [[nodiscard]] std::string deviceName(int device) const;
};

} // namespace trainscope::importers::kineto
