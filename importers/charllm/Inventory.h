#pragma once
// The telemetry files of one run folder, what each will be in the run, and the launch
// configuration.

#include "core/model/Import.h"
#include "importers/common/Importer.h"
#include "importers/common/TelemetryName.h"

#include <set>
#include <string>
#include <vector>

namespace trainscope::importers::charllm {

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
    std::string launchProblem; // why the launch file could not be read; empty: fine or none
};

// Of a unit as planned: its telemetry files and at most one YAML.
Inventory takeInventory(const SourceTree& tree, const ImportUnit& unit);

// "3, 5-7, 12"
std::string listRanks(const std::set<int>& ranks);

} // namespace trainscope::importers::charllm
