#pragma once
// Content of a run folder: the telemetry files with their place in the run, the launch
// configuration, the facts in the folder's name; and the units that such folders become.

#include "importers/common/Importer.h"
#include "importers/common/RunFolders.h"

namespace trainscope::importers::charllm {

// From the names of CharLLM-PPT's files to metrics of the registry, with units as the recorder
// writes them: power W, temperature °C, clocks MHz, utilisation %, NVLink counters KiB, PCIe
// counters B, PCIe rates KB/s (1000 B/s), InfiniBand counters B. Others keep their own name
// and unit 1.

// `gpusPerNode` > 0 says which node a rank is on. NVML counters are 32 bits wide, the node's
// counters 64.
SeriesDescription describeSeries(const TelemetryName& name, int gpusPerNode);

// Takes the facts in the name of a run folder: `<model>_<index>_<bitmap>` in optimisation sweeps
// (from the left: compute-communication overlap, activation recomputation, unused bits),
// `<model>_<index>_mbs<n>` in sweeps of the micro-batch. The index is not used: it means another
// layout on another cluster. Fills fields of `launch` that are absent; its origin becomes "folder
// name" if it was empty.
void applyFolderName(std::string_view folderName, LaunchConfig& launch);

inline constexpr int kDefaultGpusPerNode = 8;

struct TelemetryFile {
    std::string path; // relative to the tree
    TelemetryName name;
    SeriesDescription description;
};

struct Inventory {
    std::vector<TelemetryFile> files; // GPUs by rank, then nodes; one per metric and subject
    std::vector<std::string> repeated; // further files for a series that already has one
    LaunchConfig launch;
    bool hasLaunchFile = false;
    std::string gpuFamily; // "H200" from a folder's name; empty: none says it
    int gpusPerNode = kDefaultGpusPerNode;
    int ranksExpected = 0; // the launch file's world size, else the highest rank + 1
    std::string launchProblem; // the reason that the launch file was not read; empty: fine or none
};

// Inventory of a unit as planned: its telemetry files and at most one YAML.
Inventory takeInventory(const SourceTree& tree, const ImportUnit& unit);

// "3, 5-7, 12"
std::string listRanks(const std::set<int>& ranks);

// Folders without any metric that CharLLM-PPT writes give no unit. A launch YAML that belongs to
// the run is the last of the unit's files.
std::vector<ImportUnit> planRuns(const SourceTree& tree, const std::vector<SourceFile>& mine);

// One line of CharLLM-PPT telemetry, `unix_seconds,value`: read with tolerance, and by a fast path
// for lines as CharLLM-PPT writes them.

enum class LineKind {
    Sample,
    Missing, // a time with -1, an empty value, N/A, nan and the like
    Blank,
    Header, // words in place of the time; only a first line is one
    Bad,
};

struct TelemetryLine {
    LineKind kind = LineKind::Bad;
    std::int64_t ns = 0; // a sample's, and a missing one's
    double value = 0.0; // a sample's
    const char* problem = ""; // the fault of a bad one
};

TelemetryLine parseTelemetryLine(std::string_view text);

// The fast path for lines such as "1755000000.123456,693.227" or "1755000000,-1". Anything else is
// left to parseTelemetryLine(), which gives the same results for these: times exact to the
// nanosecond, values the double nearest to the text.
struct PlainLine {
    std::int64_t ns = 0;
    double value = 0.0; // NaN: missing
};

// `end[-1]` must be '\n'. The position behind the line's end, or nullptr for any other line.
const char* parsePlainLine(const char* p, const char* end, PlainLine& line);

} // namespace trainscope::importers::charllm
