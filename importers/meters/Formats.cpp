#include "importers/meters/Formats.h"

#include "core/model/AsciiText.h"
#include "importers/common/FileLines.h"
#include "importers/common/Stamp.h"
#include "importers/meters/ColumnOrder.h"
#include "importers/meters/GpuTables.h"

namespace trainscope::importers::meters {
namespace {

// Tables of whole nodes: logs of management controllers (BMC), turbostat, and RAPL's energy
// counters.
//
// Clocks: as written; turbostat's Time_Of_Day_Seconds is unix time, without it its rows follow one
// another. Units: watts, microjoules of energy_uj, megahertz and percent of turbostat.

extern const TableKind kBmcCsv;
extern const TableKind kTurbostat;
extern const TableKind kTurbostatCsv;
extern const TableKind kRaplCsv;

using Role = ColumnRole;
using Columns = std::vector<Column>;

bool isStampName(std::string_view cell) {
    constexpr std::array<std::string_view, 7> kStamps{
        "timestamp", "time", "datetime", "date", "unix_time", "ts", "time_ns"};
    return std::any_of(kStamps.begin(), kStamps.end(),
        [cell](std::string_view name) { return equalsIgnoringCase(cell, name); });
}

std::string_view withoutEnding(std::string_view name) {
    for (const std::string_view ending :
        {"_power_watts", "_power_w", "_watts", "_watt", "_power", "_w"}) {
        if (name.ends_with(ending))
            return name.substr(0, name.size() - ending.size());
    }
    return {};
}

bool isNodeName(std::string_view name) {
    for (const std::string_view word : {"node", "host", "server", "bmc", "n"}) {
        if (!name.starts_with(word))
            continue;
        const std::string_view rest
            = name.substr(word.size() + (name.substr(word.size()).starts_with('_') ? 1 : 0));
        if (!rest.empty() && std::all_of(rest.begin(), rest.end(), isDigit))
            return true;
    }
    return false;
}

// "n1_watts", "node3_power_w", "total_watts", "psu1_watts".
Column bmcColumn(std::string_view header) {
    const std::string lower = lowered(header);
    const std::string_view name = withoutEnding(lower);
    const auto power = [header](std::string_view metric, std::string whose) {
        Column column = metricColumn(header, meterSeries(metric, "W"));
        column.whose = std::move(whose);
        return column;
    };
    if (isNodeName(name))
        return power("node_power", "node " + std::string(name));
    if (name == "total" || name == "sum")
        return power("total_power", "run");
    if (name == "node" || name == "system" || name == "server")
        return power("node_power", {});
    if (name.starts_with("switch"))
        return power("switch_power", "switch " + std::string(trimmed(name.substr(6))));
    const bool isPart
        = name.starts_with("psu") || name.starts_with("cpu") || name.starts_with("fan");
    return isPart ? metricColumn(header, ownMeterSeries(lower, "W"))
                  : partOf(Role::Ignored, header);
}

Columns bmcColumns(std::span<const std::string_view> cells) {
    const bool hasGpus = std::any_of(cells.begin(), cells.end(),
        [](std::string_view cell) { return containsIgnoringCase(cell, "gpu"); });
    if (cells.size() < 2 || !isStampName(cells.front()) || hasGpus)
        return {};
    Columns columns{partOf(Role::Stamp, cells.front())};
    int nodes = 0;
    for (const std::string_view cell : cells.subspan(1)) {
        columns.push_back(bmcColumn(cell));
        nodes += columns.back().metric.name == metric::kNodePower ? 1 : 0;
    }
    return nodes > 0 ? columns : Columns{};
}

constexpr auto kTurbostatNames
    = std::to_array<ColumnName>({{"Time_Of_Day_Seconds", {}, {}, SensorKind::Unknown, Role::Stamp},
        {"Package|Die|Node|Core|CPU", {}, {}, SensorKind::Unknown, Role::Part},
        {"PkgWatt", "cpu_power", "W", SensorKind::Averaged},
        {"RAMWatt", "dram_power", "W", SensorKind::Averaged},
        {"GFXWatt|CorWatt", {}, {}, SensorKind::Unknown, Role::Ignored},
        {"SysWatt", "node_power", "W", SensorKind::Averaged}, {"Busy%", "cpu_utilization", "%"},
        {"Bzy_MHz", "cpu_clock", "MHz"}, {"PkgTmp", "cpu_temperature", "C"}});

Columns turbostatColumns(std::span<const std::string_view> cells) {
    if (std::find(cells.begin(), cells.end(), "PkgWatt") == cells.end())
        return {};
    Columns columns;
    for (const std::string_view cell : cells)
        columns.push_back(findColumn(kTurbostatNames, cell) != nullptr
                ? columnNamed(kTurbostatNames, cell)
                : partOf(Role::Ignored, cell));
    return columns;
}

// "package-0_energy_uj", "dram_energy_uj", "intel-rapl:0 energy_uj".
Columns raplColumns(std::span<const std::string_view> cells) {
    if (cells.size() < 2 || !isStampName(cells.front()))
        return {};
    Columns columns{partOf(Role::Stamp, cells.front())};
    for (const std::string_view cell : cells.subspan(1)) {
        std::string lower = lowered(cell);
        const std::size_t at = lower.find("energy_uj");
        if (at == std::string::npos)
            return {};
        std::string name = lower.substr(0, at);
        while (
            !name.empty() && std::string_view("_-. /").find(name.back()) != std::string_view::npos)
            name.pop_back();
        const bool isDram = name.find("dram") != std::string::npos;
        SeriesDescription what = meterSeries(isDram ? "dram_energy" : "cpu_energy", "uJ");
        what.metric.kind = MetricKind::Counter;
        what.counterBits = 0;
        Column column = metricColumn(cell, what);
        column.whose = "part " + (name.empty() ? std::string("package") : name);
        columns.push_back(std::move(column));
    }
    return columns;
}

const TableKind kBmcCsv{',', bmcColumns, nullptr, SubjectKind::Node};
const TableKind kTurbostat{' ', turbostatColumns, nullptr, SubjectKind::Node, false, true};
const TableKind kTurbostatCsv{',', turbostatColumns, nullptr, SubjectKind::Node, false, true};
const TableKind kRaplCsv{',', raplColumns, nullptr, SubjectKind::Node};

constexpr std::size_t kLinesLookedAt = 60;
constexpr Confidence kCertain = 97; // no other tool writes so
constexpr Confidence kLikely = 92;

// Confidence that one of the first lines is the header of such a table.
template <const TableKind& kind, std::size_t within>
Confidence sniffTable(const MeterHead& head) {
    TableCells cells;
    for (std::size_t i = 0; i < std::min(within, head.lines.size()); ++i) {
        const std::string_view line = trimmed(head.lines[i]);
        if (!line.empty() && !isDigit(line.front())
            && !kind.columns(cells.of(kind, line, 0)).empty())
            return kCertain;
    }
    return 0;
}

template <const TableKind& kind, std::size_t within = kLinesLookedAt>
constexpr MeterFormat tableFormat(
    MeterFamily family, std::string_view name, std::string_view sensor = {}) {
    return {.family = family,
        .name = name,
        .sniff = sniffTable<kind, within>,
        .table = &kind,
        .sensor = sensor};
}

Confidence sniffPtd(const MeterHead& head) {
    return std::any_of(head.lines.begin(), head.lines.end(),
               [](const std::string& line) {
                   return line.starts_with("Time,") && line.find(",Watts,") != std::string::npos;
               })
        ? kCertain
        : 0;
}

Confidence sniffIpmi(const MeterHead& head) {
    if (head.has("Instantaneous power reading:"))
        return kCertain;
    int sensors = 0;
    for (const std::string& line : head.lines) {
        const auto cells = words(line, "|");
        const bool hasUnit = line.find("Watts") != std::string::npos
            || line.find("degrees ") != std::string::npos || line.find("RPM") != std::string::npos;
        sensors += cells.size() >= 3 && hasUnit ? 1 : 0;
    }
    const bool isMost = 3 * static_cast<std::size_t>(sensors) >= head.lines.size();
    return sensors >= 2 && isMost ? kCertain : 0;
}

Confidence sniffCodeCarbon(const MeterHead& head) {
    return !head.lines.empty() && head.lines.front().find("emissions") != std::string::npos
            && head.lines.front().find("duration") != std::string::npos
            && head.lines.front().starts_with("timestamp")
        ? kCertain
        : 0;
}

Confidence sniffExposition(const MeterHead& head) {
    int samples = 0;
    int others = 0;
    bool hasType = false;
    bool hasLabels = false;
    for (const std::string& line : head.lines) {
        const std::string_view plain = trimmed(line);
        hasType = hasType || plain.starts_with("# TYPE ") || plain.starts_with("# HELP ");
        if (plain.empty() || plain.starts_with('#'))
            continue;
        const bool isSample = isExpositionLine(plain);
        samples += isSample ? 1 : 0;
        others += isSample ? 0 : 1;
        hasLabels = hasLabels || (isSample && plain.find("=\"") != std::string_view::npos);
    }
    if (samples == 0 || samples < 10 * others || (!hasType && !hasLabels))
        return 0;
    return kCertain;
}

Confidence sniffPrometheus(const MeterHead& head) {
    if (!head.isJson())
        return 0;
    if (head.has("\"resultType\"") && head.has("\"result\"") && !head.has("\"streams\""))
        return kCertain;
    return head.has("{\"metric\":{") && head.has("\"values\":[") ? kCertain : 0;
}

// A line that no other tool writes.
template <bool isOfTool(std::string_view line)>
Confidence sniffLine(const MeterHead& head) {
    return std::ranges::any_of(head.lines, isOfTool) ? kCertain : 0;
}

Confidence sniffMonitorJson(const MeterHead& head) {
    constexpr Confidence kByWords = 91; // less than a format that is known
    return head.isJson() && isMonitorJson(head.text) ? kByWords : 0;
}

Confidence sniffRows(const MeterHead& head) {
    const auto order = isSmiTable(head.lines)
        ? std::nullopt
        : std::optional(smi::readColumnOrder(linesOfHead(head.text)));
    return order && order->hasValue() ? order->value().confidence : 0;
}

Confidence sniffSmiTable(const MeterHead& head) {
    constexpr Confidence kDrawn = 90;
    return isSmiTable(head.lines) ? kDrawn : 0;
}

// Texts that no other tool writes: all of the first, and one of the second, where there are any.
struct Marks {
    std::array<std::string_view, 2> all;
    std::array<std::string_view, 7> any = {};
    bool areOfJson = false;
    Confidence confidence = kCertain;
};

constexpr Marks kMllog{{":::MLLOG"}, {"\"power_reading\"", "\"power_measurement_start\""}};
constexpr Marks kPerf{{"Joules,power/energy-"}};
constexpr Marks kSmiQuery{{"==NVSMI LOG=="}};
constexpr Marks kSmiXml{{"<nvidia_smi_log>"}};
constexpr Marks kRocmText{{"ROCm System Management Interface"}};
constexpr Marks kAmdJson{{"\"gpu\""},
    {"\"socket_power\"", "\"current_socket_power\"", "\"average_socket_power\"", "\"gfx_activity\"",
        "\"total_energy_consumption\"", "\"umc_activity\"", "\"hotspot\""},
    true};
constexpr Marks kRocmJson{
    {"\"card"}, {"Package Power (W)", "Temperature (Sensor", "GPU use (%)", "clock speed:"}, true};
constexpr Marks kGpustat{{"\"query_time\"", "\"gpus\""}, {}, true};
constexpr Marks kWandbJson{{"\"system.gpu."}, {}, true};
constexpr Marks kRedfish{{},
    {"\"PowerConsumedWatts\"", "\"PowerWatts\"", "\"ReadingCelsius\"", "\"EnergykWh\""}, true,
    kLikely};

template <const Marks& marks>
Confidence sniffMarks(const MeterHead& head) {
    const auto isThere = [&head](std::string_view mark) { return mark.empty() || head.has(mark); };
    const auto isAny = [&head](std::string_view mark) { return !mark.empty() && head.has(mark); };
    const bool hasAny = marks.any.front().empty() || std::ranges::any_of(marks.any, isAny);
    return (!marks.areOfJson || head.isJson()) && std::ranges::all_of(marks.all, isThere) && hasAny
        ? marks.confidence
        : 0;
}

constexpr std::string_view kEnergySensor = "power from differences of the energy counter";

constexpr auto kOfGpus = MeterFamily::Gpus;
constexpr auto kOfNodes = MeterFamily::Nodes;

constexpr auto kOfLogs = MeterFamily::Logs;

const std::array kFormats{
    MeterFormat{kOfLogs, "nvidia-smi log", sniffRows, nullptr},
    MeterFormat{kOfLogs, "table of nvidia-smi", sniffSmiTable, makeSmiTableReader},
    // MLPerf's script makes unix time of PTDaemon's local times, in the zone that it runs in.
    MeterFormat{.family = kOfNodes,
        .name = "MLPerf power log",
        .sniff = sniffMarks<kMllog>,
        .open = makeMllogReader,
        .isOfLocalTime = true},
    tableFormat<kDcgmiDmon>(kOfGpus, "dcgmi dmon log"),
    tableFormat<kDcgmCsv>(kOfGpus, "DCGM CSV"),
    tableFormat<kSmiPmon>(kOfGpus, "nvidia-smi pmon log"),
    tableFormat<kSmiDmon>(kOfGpus, "nvidia-smi dmon log"),
    tableFormat<kSmiDmonCsv>(kOfGpus, "nvidia-smi dmon CSV"),
    tableFormat<kAmdCsv>(kOfGpus, "amd-smi CSV"),
    tableFormat<kAmdMonitor>(kOfGpus, "amd-smi monitor"),
    tableFormat<kRocmCsv>(kOfGpus, "rocm-smi CSV"),
    tableFormat<kXpuDump>(kOfGpus, "xpu-smi dump"),
    MeterFormat{kOfGpus, "gpustat text", sniffLine<isGpustatLine>, makeGpustatTextReader},
    tableFormat<kZeusCsv, 1>(kOfGpus, "Zeus power CSV"),
    tableFormat<kNvitopCsv, 1>(kOfGpus, "nvitop CSV"),
    tableFormat<kWandbCsv, 1>(kOfGpus, "Weights & Biases system metrics"),
    tableFormat<kSensorCsv, 1>(kOfGpus, "table of sensors"),
    tableFormat<kBmcCsv, 5>(kOfNodes, "log of node power"),
    tableFormat<kTurbostat>(kOfNodes, "turbostat log"),
    tableFormat<kTurbostatCsv>(kOfNodes, "turbostat CSV"),
    tableFormat<kRaplCsv, 5>(kOfNodes, "RAPL energy log", kEnergySensor),
    MeterFormat{kOfNodes, "SPEC PTDaemon log", sniffPtd, makePtdReader},
    MeterFormat{kOfNodes, "perf energy log", sniffMarks<kPerf>, makePerfReader},
    MeterFormat{kOfNodes, "CodeCarbon table", sniffCodeCarbon, makeCodeCarbonReader, false, nullptr,
        {}, {}, codeCarbonRuns},
    MeterFormat{kOfNodes, "ipmitool log", sniffIpmi, makeIpmiReader},
    MeterFormat{kOfGpus, "nvidia-smi -q text", sniffMarks<kSmiQuery>, makeSmiQueryReader},
    MeterFormat{kOfGpus, "nvidia-smi -q XML", sniffMarks<kSmiXml>, makeSmiXmlReader},
    MeterFormat{kOfGpus, "rocm-smi text", sniffMarks<kRocmText>, makeRocmTextReader},
    MeterFormat{kOfGpus, "answer of a Prometheus API", sniffPrometheus, makePrometheusReader, true,
        nullptr, {}, "/result"},
    MeterFormat{kOfGpus, "amd-smi JSON", sniffMarks<kAmdJson>, makeAmdJsonReader, true, nullptr, {},
        "gpu_data"},
    MeterFormat{kOfGpus, "rocm-smi JSON", sniffMarks<kRocmJson>, makeRocmJsonReader, true},
    MeterFormat{kOfGpus, "gpustat JSON", sniffMarks<kGpustat>, makeGpustatReader, true},
    MeterFormat{kOfGpus, "Weights & Biases system metrics", sniffMarks<kWandbJson>,
        makeWandbJsonReader, true},
    MeterFormat{kOfNodes, "Redfish answers", sniffMarks<kRedfish>, makeRedfishReader, true},
    MeterFormat{kOfGpus, "records of a monitor", sniffMonitorJson, makeMonitorJsonReader, true},
    MeterFormat{kOfGpus, "tegrastats log", sniffLine<isTegrastatsLine>, makeTegrastatsReader},
    MeterFormat{kOfGpus, "exporter text", sniffExposition, makeExpositionReader},
};

} // namespace

bool MeterHead::isJson() const {
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const bool isObject
        = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return isObject && !has("\"traceEvents\"") && !has("\"ph\"");
}

MeterHead meterHead(std::string_view head) {
    return {head, linesOfHead(head, kLinesLookedAt)};
}

const MeterFormat* meterFormatOf(const MeterHead& head, MeterKinds kinds, Confidence* confidence) {
    const MeterFormat* best = nullptr;
    Confidence most = 0;
    for (const MeterFormat& format : kFormats) {
        const bool isAsked = (format.family == kOfLogs) == (kinds == MeterKinds::Logs);
        const Confidence sure = isAsked ? format.sniff(head) : 0;
        if (sure > most) {
            best = &format;
            most = sure;
        }
        if (most >= kCertain)
            break;
    }
    if (confidence != nullptr)
        *confidence = most;
    return best;
}

} // namespace trainscope::importers::meters
