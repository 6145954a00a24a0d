#include "importers/charllm/RunPlan.h"

#include "importers/charllm/Inventory.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"

#include <algorithm>
#include <map>
#include <set>

namespace trainscope::importers::charllm {

namespace {

std::string counted(std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

void describe(const Inventory& inventory, ImportUnit& unit) {
    std::set<int> ranks;
    std::set<std::string> metrics;
    for (const TelemetryFile& file : inventory.files) {
        metrics.insert(file.description.metric.name);
        if (!file.name.isSystem)
            ranks.insert(file.name.rank);
    }
    unit.worldSize = inventory.ranksExpected;
    unit.summary = counted(ranks.size(), "GPU", "GPUs") + ", "
        + counted(metrics.size(), "metric", "metrics");
    std::set<int> absent;
    for (int rank = 0; rank < inventory.ranksExpected; ++rank) {
        if (!ranks.contains(rank))
            absent.insert(absent.end(), rank);
    }
    if (!absent.empty())
        unit.notes.push_back("No files of rank " + listRanks(absent) + " of "
            + std::to_string(inventory.ranksExpected) + ".");
    if (inventory.hasLaunchFile)
        unit.notes.push_back("Launch configuration: " + inventory.launch.origin + ".");
    if (!inventory.launch.gpusPerNode)
        unit.notes.push_back("GPUs per node are not stated; 8 are assumed.");
}

} // namespace

std::vector<ImportUnit> planRuns(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    const RunFolders runs(tree);
    const launch::LaunchFiles launchFiles(tree, runs);
    std::map<std::string, ImportUnit, std::less<>> byFolder;
    for (const SourceFile& file : mine) {
        const std::string_view folder = folderPart(file.path);
        if (!runs.hasTelemetry(folder) || !file.problem.empty())
            continue;
        ImportUnit& unit = byFolder.try_emplace(std::string(folder)).first->second;
        unit.files.push_back(file.path);
        unit.bytes += file.size;
    }
    std::vector<ImportUnit> units;
    for (auto& [folder, unit] : byFolder) {
        unit.path = folder;
        unit.runName = runs.nameOf(folder);
        const launch::LaunchMatch match = launchFiles.find(folder);
        unit.files.insert(unit.files.end(), match.paths.begin(), match.paths.end());
        if (!match.note.empty())
            unit.notes.push_back(match.note);
        describe(takeInventory(tree, unit), unit);
        units.push_back(std::move(unit));
    }
    return units;
}

} // namespace trainscope::importers::charllm
