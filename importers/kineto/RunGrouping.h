#pragma once
// Which trace files are ranks of one run. Files of one folder (or of one folder per rank below it)
// are one run when they can be: distinct ranks, equal world size, names that differ in numbers
// only. Otherwise each is a run of its own.

#include "importers/common/Importer.h"
#include "importers/common/RunFolders.h"
#include "importers/kineto/TraceProbe.h"

#include <string>
#include <vector>

namespace trainscope::importers::kineto {

struct TraceFile {
    SourceFile file;
    TraceProbe probe;
    std::optional<int> rank; // by distributedInfo, else file name, else parent folder
    std::string folder; // that the run's files share
    std::string pattern; // see stemPattern()
};

TraceFile describeTrace(const SourceTree& tree, const SourceFile& file);

// One unit per file, in the order of the paths.
std::vector<ImportUnit> groupIntoRuns(
    const SourceTree& tree, const RunFolders& folders, std::vector<TraceFile> files);

} // namespace trainscope::importers::kineto
