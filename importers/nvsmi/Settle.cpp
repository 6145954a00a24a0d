// Decisions about columns that depend on their neighbours; see Column.h.
#include "core/model/Metric.h"
#include "importers/nvsmi/Column.h"

#include <algorithm>
#include <set>
#include <utility>

namespace trainscope::importers::nvsmi {

namespace {

using Role = Column::Role;

void rename(Column& column, std::string_view metric) {
    const Metric old = column.metric;
    column.metric = {std::string(metric), old.unit, old.kind, std::string(metric)};
    if (const Metric* known = findMetric(metric))
        column.metric = *known;
}

// Instant before plain before average: gpu_power is the reading closest to the moment.
int instantness(const Column& column) {
    if (column.sensor == SensorKind::Instant)
        return 2;
    return column.sensor == SensorKind::Unknown ? 1 : 0;
}

void settlePower(std::vector<Column>& columns) {
    std::vector<Column*> power;
    for (Column& column : columns) {
        if (column.role == Role::Metric && column.gpu < 0
            && column.metric.name == metric::kGpuPower)
            power.push_back(&column);
    }
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

void settleColumns(std::vector<Column>& columns, std::vector<std::string>& notes) {
    settleStamp(columns);
    settlePower(columns);
    settleClock(columns, notes);
    settleDuplicates(columns);
}

} // namespace trainscope::importers::nvsmi
