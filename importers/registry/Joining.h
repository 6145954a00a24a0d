#pragma once
// Proposes runs for logs that name none: an nvidia-smi log beside exactly one traced or measured
// run most likely watched that run.

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers {

// Changes runName of nvidia-smi units: to the run in whose folder the log lies, else to the only
// run in the log's folder or below it. A folder with several logs is left alone: there is no
// telling which is whose.
void joinLogsToRuns(const SourceTree& tree, std::vector<ImportUnit>& units);

} // namespace trainscope::importers
