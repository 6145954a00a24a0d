#include "importers/charllm/Inventory.h"

#include "importers/charllm/RunName.h"
#include "importers/charllm/SeriesMap.h"
#include "importers/common/GpuFamily.h"
#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace trainscope::importers::charllm {

namespace {

// What a unit holds beside its telemetry: the configurations it was launched with.
bool isLaunchFile(std::string_view path) {
    return launch::launchKindOf(path).has_value();
}

void readLaunch(const SourceTree& tree, const std::string& path, Inventory& inventory) {
    const auto stated = launch::readLaunchFile(tree, path);
    if (!stated.hasValue()) {
        inventory.launchProblem = stated.error().describe();
        return;
    }
    launch::joinLaunch(inventory.launch, stated.value());
    inventory.hasLaunchFile = true;
}

auto subjectOrder(const TelemetryFile& file) {
    const Subject& subject = file.description.subject;
    return std::tie(file.name.isSystem, subject.rank, subject.node, file.description.metric.name,
        subject.device, file.name.rank, file.path);
}

// On AMD runs power_R.csv is the GPU's power; where gpu_power_R.csv is there too it stays a metric
// of its own.
void keepBesideGpuPower(std::vector<TelemetryFile>& files) {
    std::set<int> withGpuPower;
    for (const TelemetryFile& file : files) {
        if (file.name.metric == "gpu_power")
            withGpuPower.insert(file.name.rank);
    }
    for (TelemetryFile& file : files) {
        if (!file.name.isSystem && file.name.metric == "power"
            && withGpuPower.contains(file.name.rank))
            file.description.metric = {"power", "W", MetricKind::Gauge, "Power"};
    }
}

// Two files of one series: gpu_power_0.csv and gpu_power_0.csv.gz, or one node's counter from two
// of its ranks. The first is read.
void dropRepeated(Inventory& inventory) {
    const auto isSame = [](const TelemetryFile& a, const TelemetryFile& b) {
        return a.description.metric.name == b.description.metric.name
            && a.description.subject == b.description.subject;
    };
    std::vector<TelemetryFile> kept;
    for (TelemetryFile& file : inventory.files) {
        if (!kept.empty() && isSame(kept.back(), file))
            inventory.repeated.push_back(file.path);
        else
            kept.push_back(std::move(file));
    }
    inventory.files = std::move(kept);
}

int ranksExpected(const Inventory& inventory) {
    int expected = 0;
    for (const TelemetryFile& file : inventory.files)
        expected = file.name.isSystem ? expected : std::max(expected, file.name.rank + 1);
    const LaunchConfig& launch = inventory.launch;
    if (!launch.nodes || !launch.gpusPerNode)
        return expected;
    const std::int64_t world = std::int64_t{*launch.nodes} * *launch.gpusPerNode;
    return static_cast<int>(std::clamp<std::int64_t>(world, expected, std::max(expected, 1 << 20)));
}

} // namespace

Inventory takeInventory(const SourceTree& tree, const ImportUnit& unit) {
    Inventory inventory;
    for (const std::string& path : unit.files) {
        if (isLaunchFile(path))
            readLaunch(tree, path, inventory);
    }
    const std::string folder = unit.path.empty() ? tree.displayPath({}) : unit.path;
    applyFolderName(namePart(folder), inventory.launch);
    inventory.gpuFamily = gpuFamilyOfPath(unit.path);
    // Folders above the one that was given are not part of the results.
    if (inventory.gpuFamily.empty())
        inventory.gpuFamily = gpuFamilyOfPath(namePart(tree.displayPath({})));
    inventory.gpusPerNode = inventory.launch.gpusPerNode.value_or(kDefaultGpusPerNode);
    for (const std::string& path : unit.files) {
        if (auto name = telemetryName(namePart(path)); name && !isLaunchFile(path)) {
            SeriesDescription description = describeSeries(*name, inventory.gpusPerNode);
            inventory.files.push_back({path, std::move(*name), std::move(description)});
        }
    }
    keepBesideGpuPower(inventory.files);
    std::sort(inventory.files.begin(), inventory.files.end(),
        [](const TelemetryFile& a, const TelemetryFile& b) {
            return subjectOrder(a) < subjectOrder(b);
        });
    dropRepeated(inventory);
    inventory.ranksExpected = ranksExpected(inventory);
    return inventory;
}

std::string listRanks(const std::set<int>& ranks) {
    std::string text;
    for (auto first = ranks.begin(); first != ranks.end();) {
        auto last = first;
        while (std::next(last) != ranks.end() && *std::next(last) == *last + 1)
            ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(*first);
        if (last != first)
            text += (*last == *first + 1 ? ", " : "-") + std::to_string(*last);
        first = std::next(last);
    }
    return text;
}

} // namespace trainscope::importers::charllm
