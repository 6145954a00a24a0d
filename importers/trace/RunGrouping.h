#pragma once
// Which trace files are ranks of one run. Files of one folder (or of one folder per rank below it)
// are one run when they can be: distinct ranks, equal world size, names that differ in numbers
// only. Otherwise each is a run of its own.

#include "importers/common/Importer.h"
#include "importers/common/RunFolders.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers {

// What a trace says of itself, as far as its format tells.
struct TraceFacts {
    std::optional<int> rank; // of several, the first
    int ranks = 1; // that it holds, one behind the other
    int worldSize = 0; // 0: not said
    std::string gpuModel;
    int gpusPerNode = 0; // 0: not said
    std::optional<std::int64_t> firstNs; // a stamp near its beginning, as written
    std::optional<TimeNs> start; // the same since the epoch
    std::optional<std::int64_t> utcOffsetSeconds; // of the machine that it was recorded on
    std::string kind = "kernel trace"; // for the summary
    std::vector<std::string> notes;
    std::string problem; // why it could not be read; empty: it could
};

struct TraceFile {
    SourceFile file;
    std::vector<std::string> files; // that make it up; empty: the one above alone
    TraceFacts facts;
    std::optional<int> rank; // as it says, else by file name, else by parent folder
    std::string folder; // that the run's files share
    std::string pattern; // see stemPattern()
};

// By the name of the file, else of its folder.
std::optional<int> rankOfPath(std::string_view path);

TraceFile traceFileOf(SourceFile file, TraceFacts facts);

// One unit per trace, in the order of the paths.
std::vector<ImportUnit> groupIntoRuns(
    const SourceTree& tree, const RunFolders& folders, std::vector<TraceFile> files);

} // namespace trainscope::importers
