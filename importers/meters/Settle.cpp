// Decisions about columns that depend on their neighbours; see Column.h.
#include "importers/meters/Column.h"

#include <set>

namespace trainscope::importers::meters::smi {

namespace {

using Role = ColumnRole;

void rename(Column& column, std::string_view metric) {
    const Metric old = column.metric;
    column.metric = {std::string(metric), old.unit, old.kind, std::string(metric)};
    if (const Metric* known = findMetric(metric))
        column.metric = *known;
}

void leaveOutForeignUnits(std::vector<Column>& columns, std::vector<std::string>& warnings) {
    for (Column& column : columns) {
        if (column.role != Role::Metric || column.foreignUnit.empty() || column.unitKnown)
            continue;
        column.role = Role::Ignored;
        warnings.push_back("Column \"" + column.header + "\" is left out: its unit \""
            + column.foreignUnit + "\" is not known. Name a usual one in the header, such as "
            + (column.metric.unit == "1" ? "%" : column.metric.unit) + ".");
    }
}

void warnOfFractions(const std::vector<Column>& columns, std::vector<std::string>& warnings) {
    for (const Column& column : columns) {
        if (column.role == Role::Metric && column.mayBeFraction)
            warnings.push_back("Column \"" + column.header
                + "\" names no unit and is taken for %, though it does not exceed 1. If it is a "
                  "fraction, say so in the header: \""
                + column.header + " [fraction]\".");
    }
}

// `nvidia-smi --query-compute-apps` writes a row for each process on a GPU.
void leaveOutProcessMemory(std::vector<Column>& columns, std::vector<std::string>& warnings) {
    const bool isByProcess = std::any_of(columns.begin(), columns.end(),
        [](const Column& column) { return column.role == Role::Process; });
    for (Column& column : columns) {
        const std::string name = ownMetricName(column.header);
        const bool isOfProcess = name == "used_gpu_memory" || name == "used_memory";
        if (!isByProcess || !isOfProcess || column.role != Role::Metric)
            continue;
        column.role = Role::Ignored;
        warnings.push_back("Column \"" + column.header
            + "\" is left out: it tells the memory of each process, not that of the GPU. Record "
              "memory.used with nvidia-smi --query-gpu=timestamp,index,memory.used,… "
              "--format=csv -l 1");
    }
}

// Instant before plain before average: gpu_power is the reading closest to the moment.
int instantness(const Column& column) {
    if (column.sensor == SensorKind::Instant)
        return 2;
    return column.sensor == SensorKind::Unknown ? 1 : 0;
}

// A reading that this GPU does not have is not its power where another one is.
void passOverEmptyPower(std::vector<Column*>& power, std::vector<std::string>& notes) {
    const auto hasValues = [](const Column* column) { return !column->isEmpty; };
    const auto empty = std::stable_partition(power.begin(), power.end(), hasValues);
    if (empty == power.begin())
        return;
    for (auto each = empty; each != power.end(); ++each) {
        rename(**each, ownMetricName((*each)->header));
        notes.push_back(
            "Column \"" + (*each)->header + "\" has no values and is not taken for the power.");
    }
    power.erase(empty, power.end());
}

void settlePower(std::vector<Column>& columns, std::vector<std::string>& notes) {
    std::vector<Column*> power;
    for (Column& column : columns) {
        if (column.role == Role::Metric && column.gpu < 0
            && column.metric.name == metric::kGpuPower)
            power.push_back(&column);
    }
    passOverEmptyPower(power, notes);
    std::stable_sort(power.begin(), power.end(),
        [](const Column* a, const Column* b) { return instantness(*a) > instantness(*b); });
    if (power.size() < 2 || instantness(*power.front()) == instantness(*power.back()))
        return;
    rename(*power.back(), metric::kGpuPowerAverage);
    for (std::size_t i = 1; i + 1 < power.size(); ++i)
        rename(*power[i], ownMetricName(power[i]->header));
}

void settleClock(std::vector<Column>& columns, std::vector<std::string>& notes) {
    const auto has = [&columns](std::string_view metric) {
        return std::any_of(columns.begin(), columns.end(), [metric](const Column& column) {
            return column.role == Role::Metric && column.metric.name == metric;
        });
    };
    if (has(metric::kSmClock) || !has("graphics_clock"))
        return;
    for (Column& column : columns) {
        if (column.role == Role::Metric && column.metric.name == "graphics_clock")
            rename(column, metric::kSmClock);
    }
    notes.emplace_back(
        "The log has no SM clock; its graphics clock, which runs with it, stands for it.");
}

// Two columns of one meaning: the first keeps the name.
void settleDuplicates(std::vector<Column>& columns) {
    std::set<std::pair<int, std::string>> seen;
    for (Column& column : columns) {
        if (column.role != Role::Metric || seen.emplace(column.gpu, column.metric.name).second)
            continue;
        rename(column, ownMetricName(column.header));
        if (!seen.emplace(column.gpu, column.metric.name).second)
            column.role = Role::Ignored;
    }
}

void settleStamp(std::vector<Column>& columns) {
    bool hasStamp = false;
    for (Column& column : columns) {
        if (column.role == Role::Stamp && std::exchange(hasStamp, true))
            column.role = Role::Ignored;
    }
    for (Column& column : columns) {
        if (column.role == Role::Elapsed)
            column.role = std::exchange(hasStamp, true) ? Role::Ignored : Role::Stamp;
    }
}

} // namespace

void settleColumns(std::vector<Column>& columns, std::vector<std::string>& notes,
    std::vector<std::string>& warnings) {
    settleStamp(columns);
    leaveOutForeignUnits(columns, warnings);
    warnOfFractions(columns, warnings);
    leaveOutProcessMemory(columns, warnings);
    settlePower(columns, notes);
    settleClock(columns, notes);
    settleDuplicates(columns);
}

} // namespace trainscope::importers::meters::smi
