#pragma once
// Groups logs of a tree that belong together, and names their run.

#include "importers/common/Source.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::nvsmi {

struct LogGroup {
    std::vector<SourceFile> files; // one per node, in order of their names
    std::string runName;
};

// "logs/gpu.csv.gz" → "gpu".
std::string stemOf(std::string_view path);

// Files of one folder whose names differ only in the number or host behind node, host, worker or
// rank make one group named after the folder. Other files stand alone, named by their stem, or by
// their path where stems occur twice.
std::vector<LogGroup> groupLogs(const std::vector<SourceFile>& files);

} // namespace trainscope::importers::nvsmi
