#include "importers/charllm/RunPlan.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/Numbers.h"
#include "importers/common/GpuIdentity.h"
#include "importers/common/Number.h"
#include "importers/launch/LaunchFiles.h"

#include <iterator>
#include <system_error>
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

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::size_t kMaxField = 64;

std::string_view unquoted(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    return text;
}

char separatorOf(std::string_view text) {
    for (const char separator : {';', '\t', ',', ' '}) {
        if (text.find(separator) != std::string_view::npos)
            return separator;
    }
    return '\0';
}

struct Fields {
    std::string_view time;
    std::string_view value;
    bool hasMore = false;
};

std::optional<Fields> splitFields(std::string_view text, char separator) {
    const std::size_t at = text.find(separator);
    if (separator == '\0' || at == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = text.substr(at + 1);
    if (separator == ' ' || separator == '\t')
        rest = trimmed(rest);
    const std::size_t next = rest.find(separator);
    const bool hasMore = next != std::string_view::npos && !trimmed(rest.substr(next + 1)).empty();
    return Fields{unquoted(text.substr(0, at)), unquoted(rest.substr(0, next)), hasMore};
}

// Words made of letters, digits and usual signs: "timestamp", "power [W]", not the bytes of a
// picture.
bool isWords(std::string_view text) {
    bool hasLetter = false;
    for (const char c : text) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        hasLetter |= isLetter;
        if (!isLetter && (c < ' ' || c > '~'))
            return false;
    }
    return hasLetter;
}

TelemetryLine bad(const char* problem) {
    return {LineKind::Bad, 0, 0.0, problem};
}

TelemetryLine readValue(std::int64_t ns, std::string_view text) {
    if (isMissingText(text))
        return {LineKind::Missing, ns, 0.0, ""};
    const auto value = parseNumber(text);
    if (!value)
        return bad("the value is not a number");
    if (*value == -1.0)
        return {LineKind::Missing, ns, 0.0, ""};
    return {LineKind::Sample, ns, *value, ""};
}

// Behind "seconds", with up to nine decimals; nullptr for any other form.
const char* takeTime(const char* p, std::int64_t& ns) {
    constexpr std::uint64_t kMaxSeconds = 9'000'000'000; // in ns still inside 63 bits
    constexpr std::ptrdiff_t kMostDigits = 10;
    const char* const begin = p;
    std::uint64_t time = 0;
    for (; isDigit(*p) && p - begin <= kMostDigits; ++p)
        time = time * 10 + static_cast<std::uint64_t>(*p - '0');
    if (p == begin || p - begin > kMostDigits || time >= kMaxSeconds)
        return nullptr;
    std::uint64_t unit = 1'000'000'000;
    time *= unit;
    if (*p == '.') {
        const char* const point = p++;
        for (; isDigit(*p) && unit > 1; ++p)
            time += static_cast<std::uint64_t>(*p - '0') * (unit /= 10);
        if (p == point + 1 || isDigit(*p))
            return nullptr;
    }
    ns = static_cast<std::int64_t>(time);
    return p;
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

const char* parsePlainLine(const char* p, const char* end, PlainLine& line) {
    p = takeTime(p, line.ns);
    if (p == nullptr || *p != ',')
        return nullptr;
    std::string_view rest(p + 1, static_cast<std::size_t>(end - p - 1));
    if (rest.starts_with("-1")) { // the mark of a failed read
        line.value = std::numeric_limits<double>::quiet_NaN();
        rest.remove_prefix(rest.substr(2).starts_with(".0") ? 4 : 2);
    } else if (const auto number = takePlainNumber(rest)) {
        line.value = *number;
    } else if (isDigit(rest.front())) { // with many digits, or an exponent
        const auto [next, error] = std::from_chars(rest.data(), end, line.value);
        const auto size = static_cast<std::size_t>(next - rest.data());
        if (error != std::errc() || size > kMaxField)
            return nullptr;
        rest.remove_prefix(size);
    }
    if (rest.starts_with('\r'))
        rest.remove_prefix(1);
    return rest.starts_with('\n') && rest.data() > p + 1 ? rest.data() + 1 : nullptr;
}

TelemetryLine parseTelemetryLine(std::string_view text) {
    text = trimmed(text);
    if (text.empty())
        return {LineKind::Blank, 0, 0.0, ""};
    const char separator = separatorOf(text);
    const auto fields = splitFields(text, separator);
    if (!fields)
        return bad("there is no second column");
    if (fields->time.size() > kMaxField || fields->value.size() > kMaxField)
        return bad("it is too long for a time and a value");
    std::string time(fields->time);
    std::string value(fields->value);
    if (separator == ';') {
        std::replace(time.begin(), time.end(), ',', '.');
        std::replace(value.begin(), value.end(), ',', '.');
    }
    const auto ns = decimalToNs(time, kNsPerSecond);
    if (!ns && isWords(time) && isWords(value) && !isMissingText(time))
        return {LineKind::Header, 0, 0.0, "the time is not a number"};
    if (!ns || *ns < 0)
        return bad("the time is not a number of seconds since 1970");
    if (fields->hasMore)
        return bad("there are more than two columns");
    return readValue(*ns, value);
}

} // namespace trainscope::importers::charllm
