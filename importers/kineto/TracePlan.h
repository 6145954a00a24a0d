#pragma once
// Finds the traces of Kineto in a tree, the rank of each, and those that are one run.

#include "importers/common/Importer.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::kineto {

// Tells a trace from other JSON by its first bytes.
Confidence sniffTrace(std::string_view head, std::string_view path);

// A unit for each file; of one that lies there packed as well the first is read.
std::vector<ImportUnit> planTraces(const SourceTree& tree, const std::vector<SourceFile>& mine);

// The traces that planTraces() puts into the run of this one as its other ranks.
std::vector<std::string> otherRanks(const SourceTree& tree, const std::string& path);

} // namespace trainscope::importers::kineto
