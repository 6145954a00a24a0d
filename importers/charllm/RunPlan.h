#pragma once
// Groups telemetry files into one unit per run folder.

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers::charllm {

// Folders without any metric that CharLLM-PPT writes give no unit. A launch YAML that belongs to
// the run is the last of the unit's files.
std::vector<ImportUnit> planRuns(const SourceTree& tree, const std::vector<SourceFile>& mine);

} // namespace trainscope::importers::charllm
