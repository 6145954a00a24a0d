#include "importers/meters/NodeTables.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>

namespace trainscope::importers::meters {

namespace {

using Role = MeterColumn::Role;
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

} // namespace

const TableKind kBmcCsv{',', bmcColumns, nullptr, SubjectKind::Node};
const TableKind kTurbostat{' ', turbostatColumns, nullptr, SubjectKind::Node, false, true};
const TableKind kTurbostatCsv{',', turbostatColumns, nullptr, SubjectKind::Node, false, true};
const TableKind kRaplCsv{',', raplColumns, nullptr, SubjectKind::Node};

} // namespace trainscope::importers::meters
