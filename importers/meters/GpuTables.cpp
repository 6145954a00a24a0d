#include "importers/meters/GpuTables.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/ExporterMetrics.h"
#include "importers/common/MetricWords.h"
#include "importers/meters/MeterReader.h"

namespace trainscope::importers::meters {

namespace {

using Role = ColumnRole;
using Cells = std::span<const std::string_view>;
using Columns = std::vector<Column>;
constexpr auto kAveraged = SensorKind::Averaged;
constexpr auto kOpen = SensorKind::Unknown;

Columns columnsNamed(std::span<const ColumnName> names, Cells cells) {
    Columns columns;
    for (const std::string_view cell : cells)
        columns.push_back(columnNamed(names, cell));
    return columns;
}

SeriesDescription seriesOf(const DcgmField& field) {
    SeriesDescription what;
    what.metric = meterMetric(field.metric, field.unit);
    what.metric.kind = field.kind;
    what.scale = field.scale;
    what.counterBits = field.kind == MetricKind::Counter ? 64 : 0;
    what.sensor = field.sensor;
    return what;
}

// "#Entity  POWER  TMPTR", with the sign apart in older versions.
Columns dcgmiColumns(Cells cells) {
    if (!cells.empty() && cells.front() == "#")
        cells = cells.subspan(1);
    if (cells.size() < 2 || (cells.front() != "#Entity" && cells.front() != "Entity"))
        return {};
    Columns columns{partOf(Role::Gpu, cells.front())};
    for (const std::string_view cell : cells.subspan(1)) {
        const DcgmField* field = dcgmFieldOfColumn(cell);
        columns.push_back(field != nullptr ? metricColumn(cell, seriesOf(*field))
                                           : metricColumn(cell, ownMeterSeries(cell, {}), false));
    }
    adoptWords(columns);
    return columns;
}

Columns dcgmCsvColumns(Cells cells) {
    if (cells.size() < 4 || cells[0] != "GPUId" || cells[1] != "TimeStampUs")
        return {};
    return {partOf(Role::Gpu, cells[0]), partOf(Role::Stamp, cells[1]),
        partOf(Role::Field, cells[2]), partOf(Role::Value, cells[3])};
}

Column dcgmTag(std::string_view name) {
    const DcgmField* field = dcgmFieldTagged(name);
    return field != nullptr ? metricColumn(name, seriesOf(*field))
                            : metricColumn(name, ownMeterSeries(name, {}), false);
}

constexpr auto kDmonNames = std::to_array<ColumnName>({{"gpu", {}, {}, kOpen, Role::Gpu},
    {"date", {}, {}, kOpen, Role::Date}, {"time", {}, {}, kOpen, Role::TimeOfDay},
    {"pwr", "gpu_power", "W"}, {"gtemp", "gpu_temperature", "C"}, {"mtemp", "mem_temperature", "C"},
    {"sm", "gpu_utilization", "%"}, {"mem", "mem_utilization", "%"},
    {"enc", "encoder_utilization", "%"}, {"dec", "decoder_utilization", "%"},
    {"jpg", "jpeg_utilization", "%"}, {"ofa", "ofa_utilization", "%"}, {"mclk", "mem_clock", "MHz"},
    {"pclk", "sm_clock", "MHz"}, {"fb", "mem_used", "MiB"}, {"bar1", "bar1_used", "MiB"},
    {"ccpm", "protected_mem_used", "MiB"}, {"rxpci", "pcie_rx_rate", "MB/s"},
    {"txpci", "pcie_tx_rate", "MB/s"}, {"pviol", "power_violation_fraction", "%"},
    {"tviol", "thermal_violation"}, {"sbecc", "ecc_corrected"}, {"dbecc", "ecc_uncorrected"},
    {"pci", "pcie_replays"}});
// Rows of processes, summed for each GPU.
constexpr auto kPmonNames = std::to_array<ColumnName>(
    {{"gpu", {}, {}, kOpen, Role::Gpu}, {"date", {}, {}, kOpen, Role::Date},
        {"time", {}, {}, kOpen, Role::TimeOfDay}, {"pid", {}, {}, kOpen, Role::Part},
        {"type|mode", {}, {}, kOpen, Role::Ignored}, {"command|name", {}, {}, kOpen, Role::Part},
        {"sm", "process_sm_utilization", "%"}, {"mem", "process_mem_utilization", "%"},
        {"enc", "process_encoder_utilization", "%"}, {"dec", "process_decoder_utilization", "%"},
        {"jpg", "process_jpeg_utilization", "%"}, {"ofa", "process_ofa_utilization", "%"},
        {"fb", "process_mem_used", "MiB"}, {"ccpm", "process_protected_mem_used", "MiB"}});

// "# gpu  pwr …", "#Date  Time  gpu …", "#gpu, pwr".
Columns smiColumns(Cells cells, std::span<const ColumnName> names, std::string_view mark) {
    if (cells.empty() || !cells.front().starts_with('#'))
        return {};
    Columns columns;
    bool hasMark = mark.empty();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string_view cell = i == 0 ? trimmed(cells[i].substr(1)) : cells[i];
        if (i == 0 && cell.empty())
            continue;
        hasMark = hasMark || equalsIgnoringCase(cell, mark);
        columns.push_back(columnNamed(names, cell));
    }
    const auto isSubject = [](const Column& column) { return column.role == Role::Gpu; };
    const auto isKnown
        = [](const Column& column) { return column.role == Role::Metric && column.certain; };
    const bool isHeader = hasMark && std::any_of(columns.begin(), columns.end(), isSubject)
        && std::any_of(columns.begin(), columns.end(), isKnown);
    return isHeader ? columns : Columns{};
}

bool hasCell(Cells cells, std::string_view text) {
    return std::find(cells.begin(), cells.end(), text) != cells.end();
}

Columns dmonColumns(Cells cells) {
    return hasCell(cells, "pid") ? Columns{} : smiColumns(cells, kDmonNames, {});
}

Columns pmonColumns(Cells cells) {
    return smiColumns(cells, kPmonNames, "pid");
}

constexpr auto kAmdNames = std::to_array<ColumnName>(
    {{"timestamp", {}, {}, kOpen, Role::Stamp}, {"gpu", {}, {}, kOpen, Role::Gpu},
        {"total_energy_consumption", "gpu_energy", "J"}, {"socket_power", "gpu_power", "W"},
        {"current_socket_power", "gpu_power", "W", SensorKind::Instant},
        {"average_socket_power", "gpu_power", "W", kAveraged},
        {"power_limit|power_cap|socket_power_limit", "power_limit", "W"},
        {"gfx_activity|gfx_usage|gfx", "gpu_utilization", "%"},
        {"umc_activity|mem_usage_percent|umc", "mem_utilization", "%"},
        {"edge|edge_temperature|temperature_edge", "gpu_temperature", "C"},
        {"hotspot|hotspot_temperature|junction|junction_temperature", "hotspot_temperature", "C"},
        {"mem|mem_temperature|memory_temperature|vram_temperature", "mem_temperature", "C"},
        {"gfx_0_clk|gfx_clk|gfx_0", "sm_clock", "MHz"},
        {"mem_0_clk|mem_clk|mem_0", "mem_clock", "MHz"}, {"used_vram|vram_used", "mem_used", "MB"},
        {"total_vram|vram_total", "mem_total", "MB"}, {"free_vram", "mem_free", "MB"},
        {"fan_usage|fan", "fan_speed", "%"}, {"total_correctable_count", "ecc_corrected"},
        {"total_uncorrectable_count", "ecc_uncorrected"}});

Columns amdColumns(Cells cells) {
    if (cells.size() < 2 || !hasCell(cells, "gpu"))
        return {};
    constexpr std::array<std::string_view, 9> kOnlyAmd{"total_energy_consumption", "socket_power",
        "current_socket_power", "average_socket_power", "gfx_activity", "umc_activity", "gfx_0_clk",
        "hotspot_temperature", "hotspot"};
    const bool isAmd = std::any_of(kOnlyAmd.begin(), kOnlyAmd.end(),
        [cells](std::string_view name) { return hasCell(cells, name); });
    if (!isAmd)
        return {};
    Columns columns = columnsNamed(kAmdNames, cells);
    adoptWords(columns);
    return columns;
}

// amd-smi monitor: "GPU  POWER  GPU_T …" of later ones, "GPU  POWER  GPU_TEMP …" of earlier ones.
constexpr auto kAmdMonitorNames = std::to_array<ColumnName>(
    {{"timestamp", {}, {}, kOpen, Role::Stamp}, {"gpu", {}, {}, kOpen, Role::Gpu},
        {"xcp", {}, {}, kOpen, Role::Partition}, {"power", "gpu_power", "W"},
        {"pwr_cap", "power_limit", "W"}, {"gpu_t|gpu_temp", "hotspot_temperature", "C"},
        {"mem_t|mem_temp", "mem_temperature", "C"}, {"gfx%|gfx_util", "gpu_utilization", "%"},
        {"gfx_clk|gfx_clock", "sm_clock", "MHz"}, {"mem%|mem_util", "mem_utilization", "%"},
        {"mem_clk|mem_clock", "mem_clock", "MHz"}, {"enc%|enc_util", "encoder_utilization", "%"},
        {"dec%|dec_util", "decoder_utilization", "%"},
        {"enc_clk|enc_clock|dec_clk|dec_clock", {}, {}, kOpen, Role::Ignored},
        {"vram_used|vram_usage", "mem_used", "MB"}, {"vram_total", "mem_total", "MB"},
        {"vram_free", "mem_free", "MB"}, {"vram%|vram_percent", "mem_allocated_fraction", "%"},
        {"single_ecc", "ecc_corrected"}, {"double_ecc", "ecc_uncorrected"},
        {"pcie_replay", "pcie_replays"},
        {"process_list|process_name|pid|gtt_mem|cpu_mem|vram_mem|mem_usage|cu_occupancy", {}, {},
            kOpen, Role::Ignored}});

Columns amdMonitorColumns(Cells cells) {
    const std::size_t first = !cells.empty() && cells.front() == "TIMESTAMP" ? 1 : 0;
    const bool hasCapitals = std::none_of(cells.begin(), cells.end(), [](std::string_view cell) {
        return std::any_of(cell.begin(), cell.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    });
    if (cells.size() < first + 2 || cells[first] != "GPU" || !hasCapitals)
        return {};
    Columns columns;
    bool hasReading = false;
    for (const std::string_view cell : cells) {
        columns.push_back(columnNamed(kAmdMonitorNames, cell));
        const Column& column = columns.back();
        hasReading = hasReading || (column.role == Role::Metric && column.certain);
    }
    return hasReading ? columns : Columns{};
}

// xpu-smi dump and xpumcli dump: "Timestamp, DeviceId, GPU Power (W), …", of its tiles with TileId.
constexpr auto kXpuNames = std::to_array<ColumnName>({{"timestamp", {}, {}, kOpen, Role::Stamp},
    {"deviceid", {}, {}, kOpen, Role::Gpu}, {"tileid", {}, {}, kOpen, Role::Tile},
    {"gpu utilization", "gpu_utilization", "%"}, {"gpu power", "gpu_power", "W"},
    {"gpu frequency", "sm_clock", "MHz"}, {"gpu core temperature", "gpu_temperature", "C"},
    {"gpu memory temperature", "mem_temperature", "C"},
    {"gpu memory utilization", "mem_used_fraction", "%"},
    {"gpu memory bandwidth utilization", "mem_utilization", "%"},
    {"gpu memory used", "mem_used", "MiB"}, {"gpu energy consumed", "gpu_energy", "J"}});

Columns xpuColumns(Cells cells) {
    if (cells.size() < 3 || !equalsIgnoringCase(cells[0], "Timestamp")
        || !equalsIgnoringCase(cells[1], "DeviceId"))
        return {};
    return columnsNamed(kXpuNames, cells);
}

constexpr auto kRocmNames = std::to_array<ColumnName>(
    {{"device", {}, {}, kOpen, Role::Gpu}, {"timestamp|time", {}, {}, kOpen, Role::Stamp},
        {"Average Graphics Package Power", "gpu_power", "W", kAveraged},
        {"Current Socket Graphics Package Power", "gpu_power", "W"},
        {"Max Graphics Package Power", "power_limit", "W"},
        {"Temperature (Sensor edge) (C)", "gpu_temperature", "C"},
        {"Temperature (Sensor junction) (C)", "hotspot_temperature", "C"},
        {"Temperature (Sensor memory) (C)", "mem_temperature", "C"},
        {"GPU use", "gpu_utilization", "%"}, {"GFX Activity", "gpu_gfx_activity_counter"},
        {"GPU memory use|GPU Memory Read/Write Activity", "mem_utilization", "%"},
        {"GPU Memory Allocated (VRAM%)", "mem_allocated_fraction", "%"},
        {"sclk clock speed|sclk clock level", "sm_clock", "MHz"},
        {"mclk clock speed|mclk clock level", "mem_clock", "MHz"},
        {"VRAM Total Memory", "mem_total", "B"}, {"VRAM Total Used Memory", "mem_used", "B"},
        {"Fan speed", "fan_speed", "%"}, {"Accumulated Energy", "gpu_energy", "uJ"},
        {"Device Name|Card Series|Card series", {}, {}, kOpen, Role::Name},
        {"Unique ID", {}, {}, kOpen, Role::Uuid}});

Columns rocmColumns(Cells cells) {
    if (cells.size() < 2 || cells.front() != "device")
        return {};
    Columns columns = columnsNamed(kRocmNames, cells);
    adoptWords(columns);
    return columns;
}

// "Time,0,1,2": the power of each GPU.
Columns zeusColumns(Cells cells) {
    if (cells.size() < 2 || !equalsIgnoringCase(cells.front(), "Time"))
        return {};
    Columns columns{partOf(Role::Stamp, cells.front())};
    for (const std::string_view cell : cells.subspan(1)) {
        const auto index = gpuIndexOf(cell);
        if (!index)
            return {};
        columns.push_back(metricColumn(cell, meterSeries("gpu_power", "W")));
        columns.back().whose = "GPU " + std::to_string(*index);
    }
    return columns;
}

constexpr auto kNvitopNames = std::to_array<ColumnName>({{"power_usage", "gpu_power", "W"},
    {"temperature", "gpu_temperature", "C"}, {"gpu_utilization", "gpu_utilization", "%"},
    {"memory_utilization", "mem_utilization", "%"}, {"memory_percent", "mem_used_fraction", "%"},
    {"memory_used", "mem_used", "MiB"}, {"memory_total", "mem_total", "MiB"},
    {"memory_free", "mem_free", "MiB"}, {"fan_speed", "fan_speed", "%"},
    {"cpu_percent", "cpu_utilization", "%"}, {"power_limit", "power_limit", "W"}});

// "metrics-daemon/cuda:0 (gpu:0)/gpu_utilization (%)/mean".
Column nvitopColumn(std::string_view header) {
    const auto parts = words(header, "/");
    if (parts.size() < 3 || parts.back() != "mean")
        return partOf(Role::Ignored, header);
    const std::string_view subject = parts[parts.size() - 3];
    const std::size_t physical = subject.find("gpu:");
    const bool isHost = subject.find("host") != std::string_view::npos;
    std::optional<int> index;
    if (physical != std::string_view::npos) {
        std::string_view digits = subject.substr(physical + 4);
        digits = digits.substr(0, digits.find_first_not_of("0123456789"));
        index = wholeNumber<int>(digits);
    } else {
        index = gpuIndexOf(subject);
    }
    if (!isHost && !index)
        return partOf(Role::Ignored, header);
    Column column = columnNamed(kNvitopNames, parts[parts.size() - 2]);
    column.whose = index ? "GPU " + std::to_string(*index) : std::string("this node");
    column.sensor = column.metric.unit == "W" ? kAveraged : kOpen;
    return column;
}

Columns nvitopColumns(Cells cells) {
    Columns columns;
    bool hasMean = false;
    bool hasStamp = false;
    for (const std::string_view cell : cells) {
        const bool isStamp = cell == "timestamp" || cell.ends_with("/timestamp")
            || cell.ends_with("/last_timestamp");
        columns.push_back(isStamp && !hasStamp ? partOf(Role::Stamp, cell) : nvitopColumn(cell));
        hasStamp = hasStamp || isStamp;
        hasMean = hasMean || (columns.back().role == Role::Metric);
    }
    return hasMean && hasStamp ? columns : Columns{};
}

constexpr auto kWandbNames = std::to_array<ColumnName>({{"powerWatts", "gpu_power", "W"},
    {"powerPercent", "power_fraction", "%"}, {"enforcedPowerLimitWatts", "power_limit", "W"},
    {"gpu", "gpu_utilization", "%"}, {"memory", "mem_utilization", "%"},
    {"memoryAllocated", "mem_used_fraction", "%"}, {"memoryAllocatedBytes", "mem_used", "B"},
    {"temp", "gpu_temperature", "C"}, {"memoryTemp", "mem_temperature", "C"},
    {"smClock", "sm_clock", "MHz"}, {"graphicsClock", "graphics_clock", "MHz"},
    {"memoryClock", "mem_clock", "MHz"}, {"fanSpeed", "fan_speed", "%"},
    {"correctedMemoryErrors", "ecc_corrected"}, {"uncorrectedMemoryErrors", "ecc_uncorrected"},
    {"encoderUtilization", "encoder_utilization", "%"}});
// Readings of the node and the program, by the names of psutil, with what people call them.
constexpr auto kWandbNodeNames = std::to_array<ColumnName>(
    {{"memory_percent", "Node memory used, %"}, {"memory.percent", "Node memory used, %"},
        {"disk.usageGB", "Disk used", "GiB"}, {"disk.usagePercent", "Disk used, %"},
        {"disk.in", "Disk read", "MiB"}, {"disk.out", "Disk written", "MiB"},
        {"network.sent", "Network sent", "B"}, {"network.recv", "Network received", "B"},
        {"proc.memory.availableMB", "Node memory available", "MiB"},
        {"proc.memory.rssMB", "Memory of the program", "MiB"},
        {"proc.memory.percent", "Memory of the program, %"},
        {"proc.cpu.percent", "Processors of the program, %"},
        {"proc.cpu.threads", "Threads of the program"}});

Columns wandbColumns(Cells cells) {
    Columns columns;
    bool hasMetric = false;
    bool hasStamp = false;
    // Unix time before seconds since the start.
    const bool hasUnix = hasCell(cells, "_timestamp") || hasCell(cells, "Timestamp");
    for (const std::string_view cell : cells) {
        columns.push_back(wandbColumn(cell));
        Role& role = columns.back().role;
        const bool isRelative = role == Role::Stamp && !containsIgnoringCase(cell, "timestamp");
        if (role == Role::Stamp && ((isRelative && hasUnix) || hasStamp))
            role = Role::Ignored;
        hasStamp = hasStamp || role == Role::Stamp;
        hasMetric = hasMetric || (role == Role::Metric && !columns.back().whose.empty());
    }
    return hasStamp && hasMetric ? columns : Columns{};
}

// Tables with a row for each sensor: its name, of what it is, and a value (LibreHardwareMonitor,
// scripts around it).
Columns sensorColumns(Cells cells) {
    Columns columns;
    bool hasStamp = false;
    bool hasName = false;
    bool hasValue = false;
    for (const std::string_view cell : cells) {
        const std::string name = lowered(cell);
        const bool isStamp = !hasStamp && stampOfKey(cell).has_value();
        const bool isId = name.ends_with("id") || name.ends_with("identifier");
        const bool isName = !isId
            && (name.starts_with("sensor") || (hasName && (name == "type" || name == "unit")));
        const bool isValue = hasName && !hasValue
            && (name == "value" || name == "reading" || findUnit(name)
                || findUnit(headerParts(cell).unit));
        columns.push_back(partOf(isStamp ? Role::Stamp
                : isName                 ? Role::Field
                : isValue                ? Role::Value
                : isId                   ? Role::Gpu
                                         : Role::Ignored,
            cell));
        hasStamp = hasStamp || isStamp;
        hasName = hasName || isName;
        hasValue = hasValue || isValue;
    }
    return hasStamp && hasName && hasValue ? columns : Columns{};
}

// "GPU Power W": the names of the sensor, and the unit of its values.
Column sensorField(std::string_view name) {
    const std::string_view last = name.substr(name.rfind(' ') + 1);
    const auto unit = findUnit(last);
    const std::string_view what = unit && unit->si == "W" ? "sensor_power" : "sensor_value";
    Columns one{metricColumn(name, meterSeries(what, last), false)};
    adoptWords(one);
    if (!one.front().certain)
        one.front().whose = "part "
            + std::string(trimmed(name.substr(0, name.size() - (unit ? last.size() : 0))));
    return one.front();
}

} // namespace

std::span<const ColumnName> amdNames() {
    return kAmdNames;
}

std::span<const ColumnName> rocmNames() {
    return kRocmNames;
}

Column wandbColumn(std::string_view name) {
    constexpr std::string_view kPrefix = "system.";
    if (name == "_timestamp" || name == "Timestamp" || name == "_runtime"
        || name.starts_with("Relative Time"))
        return partOf(Role::Stamp, name);
    const std::size_t at = name.find(kPrefix);
    if (at == std::string_view::npos || name.ends_with("__MIN") || name.ends_with("__MAX"))
        return partOf(Role::Ignored, name);
    const std::string_view rest = name.substr(at + kPrefix.size());
    const auto parts = words(rest, ".");
    if (parts.size() == 3 && parts[0] == "gpu") {
        const auto index = wholeNumber<int>(parts[1]);
        if (!index || *index < 0)
            return partOf(Role::Ignored, name);
        Column column = columnNamed(kWandbNames, parts[2]);
        column.header = name;
        column.whose = "GPU " + std::to_string(*index);
        return column;
    }
    if (rest.starts_with("gpu"))
        return partOf(Role::Ignored, name); // by the process alone
    const bool isOfDisk = parts.size() == 3 && parts[0] == "disk"; // "disk./.usageGB"
    const std::string key = isOfDisk ? "disk." + std::string(parts[2]) : std::string(rest);
    const auto node = std::ranges::find(kWandbNodeNames, key, &ColumnName::names);
    const bool isNamed = node != kWandbNodeNames.end();
    Column column = rest == "cpu"
        ? metricColumn(name, meterSeries("cpu_utilization", "%"))
        : metricColumn(
            name, ownMeterSeries(rest, isNamed ? node->unit : std::string_view()), false);
    if (isNamed)
        column.metric.label = node->metric;
    column.whose = "this node";
    return column;
}

const TableKind kDcgmiDmon{' ', dcgmiColumns, nullptr, SubjectKind::Gpu, false, false, true};
const TableKind kDcgmCsv{',', dcgmCsvColumns, dcgmTag, SubjectKind::Gpu, false, false, true};
const TableKind kSmiDmon{' ', dmonColumns};
const TableKind kSmiDmonCsv{',', dmonColumns};
const TableKind kSmiPmon{' ', pmonColumns, nullptr, SubjectKind::Gpu, true};
const TableKind kAmdCsv{',', amdColumns};
const TableKind kAmdMonitor{' ', amdMonitorColumns};
const TableKind kRocmCsv{',', rocmColumns};
const TableKind kXpuDump{',', xpuColumns};
const TableKind kZeusCsv{',', zeusColumns};
const TableKind kNvitopCsv{',', nvitopColumns};
const TableKind kWandbCsv{',', wandbColumns};
const TableKind kSensorCsv{',', sensorColumns, sensorField};

} // namespace trainscope::importers::meters
