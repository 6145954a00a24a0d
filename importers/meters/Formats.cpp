#include "importers/meters/Formats.h"

#include "core/model/AsciiText.h"
#include "importers/common/HeadLines.h"
#include "importers/common/Stamp.h"
#include "importers/meters/ColumnNames.h"
#include "importers/meters/ColumnOrder.h"
#include "importers/meters/GpuTables.h"
#include "importers/meters/Readers.h"
#include "importers/meters/TableReader.h"

#include <algorithm>
#include <array>

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
using Columns = std::vector<MeterColumn>;

bool isStampName(std::string_view cell) {
    constexpr std::array<std::string_view, 7> kStamps{
        "timestamp", "time", "datetime", "date", "unix_time", "ts", "time_ns"};
    return std::any_of(kStamps.begin(), kStamps.end(),
        [cell](std::string_view name) { return equalsIgnoringCase(cell, name); });
}

MeterColumn stampColumn(std::string_view header) {
    MeterColumn column;
    column.role = Role::Stamp;
    column.header = header;
    return column;
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
MeterColumn bmcColumn(std::string_view header) {
    MeterColumn column;
    column.header = header;
    const std::string lower = lowered(header);
    const std::string_view name = withoutEnding(lower);
    if (name.empty())
        return column;
    column.role = Role::Metric;
    if (isNodeName(name)) {
        column.what = meterSeries("node_power", "W");
        column.whose = "node " + std::string(name);
    } else if (name == "total" || name == "sum") {
        column.what = meterSeries("total_power", "W");
        column.whose = "run";
    } else if (name == "node" || name == "system" || name == "server") {
        column.what = meterSeries("node_power", "W");
    } else {
        column.role = Role::Ignored;
        if (name.starts_with("psu") || name.starts_with("cpu") || name.starts_with("fan")
            || name.starts_with("switch")) {
            column.role = Role::Metric;
            column.what = name.starts_with("switch") ? meterSeries("switch_power", "W")
                                                     : ownMeterSeries(lower, "W");
            if (name.starts_with("switch"))
                column.whose = "switch " + std::string(trimmed(name.substr(6)));
        }
    }
    return column;
}

Columns bmcColumns(std::span<const std::string_view> cells) {
    const bool hasGpus = std::any_of(cells.begin(), cells.end(),
        [](std::string_view cell) { return containsIgnoringCase(cell, "gpu"); });
    if (cells.size() < 2 || !isStampName(cells.front()) || hasGpus)
        return {};
    Columns columns{stampColumn(cells.front())};
    int nodes = 0;
    for (const std::string_view cell : cells.subspan(1)) {
        columns.push_back(bmcColumn(cell));
        nodes += columns.back().what.metric.name == metric::kNodePower ? 1 : 0;
    }
    return nodes > 0 ? columns : Columns{};
}

constexpr std::array kTurbostatNames{
    ColumnName{"Time_Of_Day_Seconds", {}, {}, SensorKind::Unknown, Role::Stamp},
    ColumnName{"Package|Die|Node|Core|CPU", {}, {}, SensorKind::Unknown, Role::Part},
    ColumnName{"PkgWatt", "cpu_power", "W", SensorKind::Averaged},
    ColumnName{"RAMWatt", "dram_power", "W", SensorKind::Averaged},
    ColumnName{"GFXWatt|CorWatt", {}, {}, SensorKind::Unknown, Role::Ignored},
    ColumnName{"SysWatt", "node_power", "W", SensorKind::Averaged},
    ColumnName{"Busy%", "cpu_utilization", "%"}, ColumnName{"Bzy_MHz", "cpu_clock", "MHz"},
    ColumnName{"PkgTmp", "cpu_temperature", "C"}};

Columns turbostatColumns(std::span<const std::string_view> cells) {
    if (std::find(cells.begin(), cells.end(), "PkgWatt") == cells.end())
        return {};
    Columns columns;
    for (const std::string_view cell : cells) {
        if (findColumn(kTurbostatNames, cell) != nullptr) {
            columns.push_back(columnNamed(kTurbostatNames, cell));
        } else {
            columns.emplace_back();
            columns.back().header = cell;
        }
    }
    return columns;
}

// "package-0_energy_uj", "dram_energy_uj", "intel-rapl:0 energy_uj".
Columns raplColumns(std::span<const std::string_view> cells) {
    if (cells.size() < 2 || !isStampName(cells.front()))
        return {};
    Columns columns{stampColumn(cells.front())};
    for (const std::string_view cell : cells.subspan(1)) {
        std::string lower = lowered(cell);
        const std::size_t at = lower.find("energy_uj");
        if (at == std::string::npos)
            return {};
        std::string name = lower.substr(0, at);
        while (
            !name.empty() && std::string_view("_-. /").find(name.back()) != std::string_view::npos)
            name.pop_back();
        MeterColumn column;
        column.role = Role::Metric;
        column.header = cell;
        const bool isDram = name.find("dram") != std::string::npos;
        column.what = meterSeries(isDram ? "dram_energy" : "cpu_energy", "uJ");
        column.what.metric.kind = MetricKind::Counter;
        column.what.counterBits = 0;
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

template <const TableKind& kind>
std::unique_ptr<MeterReader> makeTable() {
    return std::make_unique<TableReader>(kind);
}

// Confidence that one of the first lines is the header of such a table.
template <const TableKind& kind, std::size_t within = kLinesLookedAt>
Confidence sniffTable(const MeterHead& head) {
    CellSplitter splitter;
    for (std::size_t i = 0; i < std::min(within, head.lines.size()); ++i) {
        const std::string_view line = trimmed(head.lines[i]);
        if (line.empty() || isDigit(line.front()))
            continue;
        const auto cells
            = kind.separator == ' ' ? words(line, " \t") : splitter.split(line, kind.separator);
        if (!cells.empty() && !kind.columns(cells).empty())
            return kCertain;
    }
    return 0;
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
    MeterFormat{kOfGpus, "dcgmi dmon log", sniffTable<kDcgmiDmon>, makeTable<kDcgmiDmon>},
    MeterFormat{kOfGpus, "DCGM CSV", sniffTable<kDcgmCsv>, makeTable<kDcgmCsv>},
    MeterFormat{kOfGpus, "nvidia-smi pmon log", sniffTable<kSmiPmon>, makeTable<kSmiPmon>},
    MeterFormat{kOfGpus, "nvidia-smi dmon log", sniffTable<kSmiDmon>, makeTable<kSmiDmon>},
    MeterFormat{kOfGpus, "nvidia-smi dmon CSV", sniffTable<kSmiDmonCsv>, makeTable<kSmiDmonCsv>},
    MeterFormat{kOfGpus, "amd-smi CSV", sniffTable<kAmdCsv>, makeTable<kAmdCsv>},
    MeterFormat{kOfGpus, "amd-smi monitor", sniffTable<kAmdMonitor>, makeTable<kAmdMonitor>},
    MeterFormat{kOfGpus, "rocm-smi CSV", sniffTable<kRocmCsv>, makeTable<kRocmCsv>},
    MeterFormat{kOfGpus, "xpu-smi dump", sniffTable<kXpuDump>, makeTable<kXpuDump>},
    MeterFormat{kOfGpus, "gpustat text", sniffLine<isGpustatLine>, makeGpustatTextReader},
    MeterFormat{kOfGpus, "Zeus power CSV", sniffTable<kZeusCsv, 1>, makeTable<kZeusCsv>},
    MeterFormat{kOfGpus, "nvitop CSV", sniffTable<kNvitopCsv, 1>, makeTable<kNvitopCsv>},
    MeterFormat{
        kOfGpus, "Weights & Biases system metrics", sniffTable<kWandbCsv, 1>, makeTable<kWandbCsv>},
    MeterFormat{kOfGpus, "table of sensors", sniffTable<kSensorCsv, 1>, makeTable<kSensorCsv>},
    MeterFormat{kOfNodes, "log of node power", sniffTable<kBmcCsv, 5>, makeTable<kBmcCsv>},
    MeterFormat{kOfNodes, "turbostat log", sniffTable<kTurbostat>, makeTable<kTurbostat>},
    MeterFormat{kOfNodes, "turbostat CSV", sniffTable<kTurbostatCsv>, makeTable<kTurbostatCsv>},
    MeterFormat{kOfNodes, "RAPL energy log", sniffTable<kRaplCsv, 5>, makeTable<kRaplCsv>, false,
        kEnergySensor},
    MeterFormat{kOfNodes, "SPEC PTDaemon log", sniffPtd, makePtdReader},
    MeterFormat{kOfNodes, "perf energy log", sniffMarks<kPerf>, makePerfReader},
    MeterFormat{kOfNodes, "CodeCarbon table", sniffCodeCarbon, makeCodeCarbonReader, false, {}, {},
        codeCarbonRuns},
    MeterFormat{kOfNodes, "ipmitool log", sniffIpmi, makeIpmiReader},
    MeterFormat{kOfGpus, "nvidia-smi -q text", sniffMarks<kSmiQuery>, makeSmiQueryReader},
    MeterFormat{kOfGpus, "nvidia-smi -q XML", sniffMarks<kSmiXml>, makeSmiXmlReader},
    MeterFormat{kOfGpus, "rocm-smi text", sniffMarks<kRocmText>, makeRocmTextReader},
    MeterFormat{kOfGpus, "answer of a Prometheus API", sniffPrometheus, makePrometheusReader, true,
        {}, "/result"},
    MeterFormat{
        kOfGpus, "amd-smi JSON", sniffMarks<kAmdJson>, makeAmdJsonReader, true, {}, "gpu_data"},
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
