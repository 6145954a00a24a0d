#pragma once
// Names of columns and members, as the monitors write them, and what they are here. A format is an
// array of these.

#include "importers/meters/TableReader.h"

#include <span>
#include <string>
#include <string_view>

namespace trainscope::importers::meters {

struct ColumnName {
    std::string_view names; // lower case, separated by '|'
    std::string_view metric; // of a metric
    std::string_view unit = {}; // as Cells.h reads it; empty: a plain number
    SensorKind sensor = SensorKind::Unknown;
    ColumnRole role = ColumnRole::Metric;
};

// The column of that header; where no row has it, a metric of its own with the unit that stands
// behind it in parentheses or brackets.
MeterColumn columnNamed(std::span<const ColumnName> names, std::string_view header);
// Columns whose names the tool's own list does not have, by the words that all tables share
// (MetricWords.h), where no other column is that metric.
void adoptWords(std::vector<MeterColumn>& columns);
// The row of that name, or nullptr. Upper and lower case are alike.
const ColumnName* findColumn(std::span<const ColumnName> names, std::string_view header);

// "Fan Speed (%)" → "Fan Speed" and "%".
struct HeaderParts {
    std::string_view base;
    std::string_view unit;
};
HeaderParts headerParts(std::string_view header);

} // namespace trainscope::importers::meters
