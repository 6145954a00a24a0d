#pragma once
// Groups trace files of one run, as ranks or as captures of a rank. A process that profiles
// several stretches leaves several traces of one rank: captures of a rank do not overlap in time,
// ranks do. Files of one folder (or of one folder per rank below it) are one run when they can be:
//  - distinct ranks, which the traces or words in their names say, equal world size, names that
//    differ in numbers only; or as many as their world has, numbered from 0 by their names;
//  - else those that are of one process, or are said to be other ranks at one time.
// Nearness in time and names that differ in another number join nothing. If nothing says the
// rank, files of one process that follow each other are one rank, files that overlap are ranks.

#include "importers/common/Importer.h"
#include "importers/common/RunFolders.h"

namespace trainscope::importers {

// Facts that a trace tells of itself, as far as its format does.
struct TraceFacts {
    std::optional<int> rank; // the first of several
    int ranks = 1; // those in it, one behind the other
    int worldSize = 0; // 0: not said
    std::string gpuModel;
    std::string process; // the recorder's host and process id, as far as known; may be empty
    int gpusPerNode = 0; // 0: not said
    std::optional<std::int64_t> firstNs; // a stamp near its beginning, as written
    std::optional<TimeNs> start; // the same since the epoch
    std::optional<std::int64_t> utcOffsetSeconds; // the recording machine's
    std::string kind = "kernel trace"; // for the summary
    std::vector<std::string> notes;
    std::string problem; // the reason that it could not be read; empty: it could
};

struct TraceFile {
    SourceFile file;
    std::vector<std::string> files; // those that make it up; empty: the one above alone
    TraceFacts facts;
    std::optional<int> rank; // as it says, else by a word in the name of the file or its folder
    std::optional<int> number; // the name ends with it and no word calls it a rank
    std::string folder; // shared by the run's files
    std::string pattern; // see stemPattern()
};

// By a word in the name of the file, else of its folder.
std::optional<int> rankOfPath(std::string_view path);

// Extent of a trace, on a clock that is that of the others; absent where that is not known, or
// takes too long to find out. It is asked only where captures and ranks look alike.
using TraceExtent = std::function<std::optional<TimeRange>(const TraceFile&)>;

TraceFile traceFileOf(SourceFile file, TraceFacts facts);

// Names the runs of units that are ranks: those of one folder are one run where each has a rank of
// its own, else each is a run.
void nameByFolders(const SourceTree& tree, std::vector<ImportUnit>& units);

// One unit per trace, in the order of the paths.
std::vector<ImportUnit> groupIntoRuns(const SourceTree& tree, const RunFolders& folders,
    std::vector<TraceFile> files, const TraceExtent& extentOf = {});

} // namespace trainscope::importers
