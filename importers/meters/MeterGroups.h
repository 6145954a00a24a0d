#pragma once
// Groups telemetry files of a tree that belong together: those of one folder whose names differ in
// the number behind node, host, switch and the like, and in nothing else.

#include "importers/common/Source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters {

// Machine in a file's name: "node_3.txt", "sw_0.txt".
struct MeterName {
    std::optional<int> node;
    std::string switchName; // "sw0"; empty: no switch
    std::string before; // what stands before: "dell_64xH100_"
    std::string after; // and behind: ".txt"
};
MeterName meterName(std::string_view path);

struct MeterGroup {
    std::vector<SourceFile> files; // nodes by number, then switches
    std::string runName;
};
// `key` tells kinds of files apart that do not go together.
std::vector<MeterGroup> groupMeters(const SourceTree& tree, const std::vector<SourceFile>& files,
    const std::vector<std::string>& keys);

} // namespace trainscope::importers::meters
