#include "importers/charllm/RunPlan.h"

#include "core/model/Metric.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/charllm/TelemetryLine.h"
#include "importers/common/GpuIdentity.h"
#include "importers/launch/LaunchFiles.h"

#include <iterator>
#include <tuple>

namespace trainscope::importers::charllm {

namespace {

constexpr double kPercent = 0.01;
constexpr double kMega = 1e6;
constexpr double kKibi = 1024.0;
constexpr double kKilo = 1000.0;

struct Rule {
    std::string_view file; // the metric in the file's name
    std::string_view metric; // in the registry
    double scale = 1.0;
    int counterBits = 0;
    SensorKind sensor = SensorKind::Unknown;
};

using enum SensorKind;

// gpu_power is NVML's instantaneous power field, mem_power its average over the memory scope.
constexpr auto kGpuRules = std::to_array<Rule>({
    {"gpu_power", metric::kGpuPower, 1.0, 0, Instant},
    {"power", metric::kGpuPower, 1.0, 0, Unknown},
    {"mem_power", metric::kMemPower, 1.0, 0, Averaged},
    {"gpu_thermal", metric::kGpuTemperature},
    {"thermal", metric::kGpuTemperature},
    {"gpu_temperature", metric::kGpuTemperature},
    {"mem_thermal", metric::kMemTemperature},
    {"mem_temperature", metric::kMemTemperature},
    {"sm_clock", metric::kSmClock, kMega},
    {"gpu_clock", metric::kSmClock, kMega},
    {"mem_clock", metric::kMemClock, kMega},
    {"gpu_util", metric::kGpuUtilization, kPercent},
    {"mem_util", metric::kMemUtilization, kPercent},
    {"nvlink_rx_throughput", metric::kNvlinkRx, kKibi, 32},
    {"nvlink_tx_throughput", metric::kNvlinkTx, kKibi, 32},
    {"pcie_rx_bytes", metric::kPcieRx, 1.0, 32},
    {"pcie_tx_bytes", metric::kPcieTx, 1.0, 32},
    {"pcie_rx_throughput", metric::kPcieRxRate, kKilo},
    {"pcie_tx_throughput", metric::kPcieTxRate, kKilo},
});

constexpr auto kSystemRules = std::to_array<Rule>({
    {"ib_rx_bytes", metric::kIbRx, 1.0, 64},
    {"ib_tx_bytes", metric::kIbTx, 1.0, 64},
    {"cpu_temp", metric::kCpuTemperature},
    {"cpu_temperature", metric::kCpuTemperature},
    {"cpu_power", metric::kCpuPower},
    {"node_power", metric::kNodePower},
    {"power", metric::kNodePower},
    {"cpu_util", metric::kCpuUtilization, kPercent},
    {"cpu_utilization", metric::kCpuUtilization, kPercent},
});

template <std::size_t N>
const Rule* findRule(const std::array<Rule, N>& rules, std::string_view file) {
    const auto found = std::ranges::find(rules, file, &Rule::file);
    return found == rules.end() ? nullptr : found;
}

// A metric that CharLLM-PPT's node exporter brings besides. Its memory_used is the memory the host
// has.
Metric ownMetric(const TelemetryName& name) {
    const bool isBytes = name.metric.ends_with("_bytes");
    const bool isMemory = name.isSystem && name.metric.starts_with("memory_");
    Metric metric{name.metric, isBytes || isMemory ? "B" : "1", MetricKind::Gauge, name.metric};
    if (isBytes)
        metric.kind = MetricKind::Counter;
    std::replace(metric.label.begin(), metric.label.end(), '_', ' ');
    return metric;
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kMicroBatch = "mbs";
constexpr std::size_t kMinBits = 2;
constexpr int kMaxMicroBatch = 1 << 20;

bool consistsOf(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

void applyBitmap(std::string_view bits, LaunchConfig& launch) {
    if (!launch.overlap)
        launch.overlap = bits[0] == '1';
    if (!launch.recompute)
        launch.recompute = bits[1] == '1';
}

void applyMicroBatch(std::string_view digits, LaunchConfig& launch) {
    const auto size = wholeNumber<int>(digits);
    if (size && *size > 0 && *size <= kMaxMicroBatch && !launch.microBatch)
        launch.microBatch = size;
}

// True for the configurations that a unit was launched with.
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
    return std::max(expected, launchedGpus(inventory.launch));
}

// Start of the first file: the recorder of a run starts them together.
std::optional<TimeNs> startOf(const SourceTree& tree, const Inventory& inventory) {
    constexpr std::size_t kFirstLines = 4096;
    if (inventory.files.empty())
        return std::nullopt;
    const auto head = readHead(tree, inventory.files.front().path, kFirstLines);
    if (!head.hasValue())
        return std::nullopt;
    std::string_view rest = head.value();
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const TelemetryLine line = parseTelemetryLine(rest.substr(0, end));
        if (line.kind == LineKind::Sample || line.kind == LineKind::Missing)
            return TimeNs{line.ns};
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return std::nullopt;
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
    unit.gpuModel = inventory.gpuFamily;
    unit.gpusPerNode = inventory.launch.gpusPerNode.value_or(0);
    unit.summary = text::counted(static_cast<std::int64_t>(ranks.size()), "GPU") + ", "
        + text::counted(static_cast<std::int64_t>(metrics.size()), "metric");
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

SeriesDescription describeSeries(const TelemetryName& name, int gpusPerNode) {
    SeriesDescription description;
    description.subject.kind = name.isSystem ? SubjectKind::Node : SubjectKind::Gpu;
    if (name.isSystem) {
        description.subject.node = name.rank / std::max(gpusPerNode, 1);
        description.subject.device = name.device;
        if (name.metric == "ib_rx_bytes" || name.metric == "ib_tx_bytes")
            description.subject.kind = SubjectKind::Link;
    } else {
        description.subject.rank = name.rank;
    }
    const Rule* rule
        = name.isSystem ? findRule(kSystemRules, name.metric) : findRule(kGpuRules, name.metric);
    if (rule == nullptr) {
        description.metric = ownMetric(name);
        description.counterBits = description.metric.kind == MetricKind::Counter ? 64 : 0;
        return description;
    }
    if (const Metric* metric = findMetric(rule->metric))
        description.metric = *metric;
    description.scale = rule->scale;
    description.counterBits = rule->counterBits;
    description.sensor = rule->sensor;
    return description;
}

void applyFolderName(std::string_view folderName, LaunchConfig& launch) {
    const std::size_t last = folderName.rfind('_');
    if (last == std::string_view::npos || last == 0)
        return;
    const std::size_t first = folderName.rfind('_', last - 1);
    if (first == std::string_view::npos || first == 0)
        return;
    const std::string_view index = folderName.substr(first + 1, last - first - 1);
    const std::string_view tag = folderName.substr(last + 1);
    const bool isBitmap = tag.size() >= kMinBits && consistsOf(tag, "01");
    const bool isMicroBatch
        = tag.starts_with(kMicroBatch) && consistsOf(tag.substr(kMicroBatch.size()), kDigits);
    if (!consistsOf(index, kDigits) || !(isBitmap || isMicroBatch))
        return;
    if (!launch.model)
        launch.model = std::string(folderName.substr(0, first));
    if (isBitmap)
        applyBitmap(tag, launch);
    else
        applyMicroBatch(tag.substr(kMicroBatch.size()), launch);
    if (launch.origin.empty())
        launch.origin = "folder name";
}

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
    std::ranges::sort(inventory.files, [](const TelemetryFile& a, const TelemetryFile& b) {
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

std::vector<ImportUnit> planRuns(const SourceTree& tree, const std::vector<SourceFile>& mine) {
    const RunFolders runs(tree);
    launch::RunsByPlace places;
    for (const std::string& folder : runs.telemetryFolders())
        places[folder].insert(runs.nameOf(folder));
    const launch::LaunchFiles launchFiles(tree, std::move(places));
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
        const launch::LaunchMatch match = launchFiles.find(folder, unit.runName);
        unit.files.insert(unit.files.end(), match.paths.begin(), match.paths.end());
        if (!match.note.empty())
            unit.notes.push_back(match.note);
        const Inventory inventory = takeInventory(tree, unit);
        describe(inventory, unit);
        unit.start = startOf(tree, inventory);
        units.push_back(std::move(unit));
    }
    return units;
}

} // namespace trainscope::importers::charllm
