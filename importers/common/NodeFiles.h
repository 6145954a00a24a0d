#pragma once
// Groups telemetry files of a tree that belong together: those of one folder whose names differ in
// the number behind node, host, switch and the like, and in nothing else.

#include "importers/common/Source.h"

namespace trainscope::importers {

// Machine in a file's name: "dell_64xH100_node_3.txt", "sw_0.txt".
struct NodeFileName {
    std::optional<int> node;
    std::string switchName; // "sw0"; empty: no switch
    std::string before; // the text before the word: "dell_64xH100_"
    std::string word; // "node_"
    std::string after; // behind the number: ".txt"
};
NodeFileName nodeFileName(std::string_view path);

// Nodes by number, then switches. `keys`, one for each file, tell kinds of files apart that do not
// go together; empty: all do.
std::vector<std::vector<SourceFile>> groupByNode(
    const std::vector<SourceFile>& files, const std::vector<std::string>& keys = {});
// Takes "_", "-", "." and blanks off its end.
std::string withoutJoint(std::string name);

} // namespace trainscope::importers
