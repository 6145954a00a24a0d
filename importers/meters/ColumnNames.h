#pragma once
// Tables of known tools: names of columns and members, as the monitors write them, with what they
// are here, and what a table of them looks like. A format is an array of names and a TableKind.

#include "importers/common/Cells.h"
#include "importers/meters/Column.h"

#include <span>

namespace trainscope::importers::meters {

using smi::Column;

struct ColumnName {
    std::string_view names; // lower case, separated by '|'
    std::string_view metric; // for a metric
    std::string_view unit = {}; // as Cells.h reads it; empty: a plain number
    SensorKind sensor = SensorKind::Unknown;
    ColumnRole role = ColumnRole::Metric;
};

Column partOf(ColumnRole role, std::string_view header);
// `certain` is false for a name that no table knows.
Column metricColumn(std::string_view header, const SeriesDescription& what, bool certain = true);
// The column of that header; where no row has it, a metric of its own with the unit that stands
// behind it in parentheses or brackets.
Column columnNamed(std::span<const ColumnName> names, std::string_view header);
// Columns whose names the tool's own list does not have, by the words that all tables share
// (MetricWords.h), where no other column is that metric.
void adoptWords(std::vector<Column>& columns);
// The row of that name, or nullptr. Upper and lower case are alike.
const ColumnName* findColumn(std::span<const ColumnName> names, std::string_view header);

// "Fan Speed (%)" → "Fan Speed" and "%".
struct HeaderParts {
    std::string_view base;
    std::string_view unit;
};
HeaderParts headerParts(std::string_view header);

// A tool's table: header lines that name columns, one row or one value a line.
struct TableKind {
    char separator = ','; // ' ': runs of blanks
    // The columns of a header line; empty: it is no header.
    std::vector<Column> (*columns)(std::span<const std::string_view> cells) = nullptr;
    // The metric of a long table's field.
    Column (*field)(std::string_view name) = nullptr;
    SubjectKind subject = SubjectKind::Gpu; // for rows that name none
    bool sumsParts = false; // rows of one subject and moment are added up
    bool onlyTotals = false; // rows whose parts are not all "-" are passed over
    bool isDcgm = false; // its first cell is two words, and its numbers have blanks

    // The columns of a line that may be a header.
    [[nodiscard]] std::vector<Column> headOf(std::span<const std::string_view> cells) const;
};

// Cells of a line of such a table, valid until the next one. `width`: of its columns; 0: not known.
class TableCells {
public:
    const std::vector<std::string_view>& of(
        const TableKind& kind, std::string_view line, std::size_t width);

private:
    CellSplitter m_splitter;
    std::vector<std::string_view> m_cells;
};

// True for a line of units below a header: "# Idx  W  C", "ID".
bool isUnitLine(std::span<const std::string_view> cells);

} // namespace trainscope::importers::meters
