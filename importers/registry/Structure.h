#pragma once
// Brings execution traces to the Kineto traces of their processes.

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers {

// A Kineto trace of the same rank whose events are of the execution trace's process gets it as its
// partner, and gives it its run; the nearest by folders, where there are several. Of several
// execution traces of one process PyTorch's own is taken, since it has tensors that Chakra's may
// lack, and the others are switched off. To be called before units are joined to runs.
void joinStructure(const SourceTree& tree, std::vector<ImportUnit>& units);

} // namespace trainscope::importers
