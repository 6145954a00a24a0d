#pragma once
// The column order of a GPU log, read from its first lines: separator, header or what stands in for
// it, how stamps are written, and what tells the GPUs apart.

#include "importers/common/FileLines.h"
#include "importers/common/Importer.h"
#include "importers/common/Stamp.h"
#include "importers/meters/Column.h"
#include "importers/meters/Rhythm.h"

#include <set>

namespace trainscope::importers::meters {
struct TableKind;
}

namespace trainscope::importers::meters::smi {

struct ColumnOrder {
    const TableKind* kind = nullptr; // a known tool's; nullptr: a log with columns of any name
    std::string head; // the line that named these columns, of a known tool
    char separator = ','; // ' ': blanks alone
    bool hasHeader = false;
    std::vector<Column> columns;
    int stamp = -1; // columns by their part, -1: none
    int timeOfDay = -1; // if `stamp` has the date alone
    bool isTimeOfDay = false; // its stamps have no date
    // The time of rows stands in a line before them: `date; nvidia-smi --query-gpu=…` in a loop.
    bool hasDateLines = false;
    DateOrder dates = DateOrder::Unknown; // its stamps'
    bool hasOpenDates = false; // in these lines nothing tells their order
    // Columns whose decimal comma parts their cell in two, where a comma parts the cells.
    std::vector<std::size_t> decimals;
    int gpu = -1; // tells GPUs apart
    int host = -1;
    int name = -1;
    int uuid = -1;
    int address = -1; // on the PCI bus
    Rhythm rhythm; // used when gpu is -1
    std::optional<StampKind> clock; // the first stamp's
    TimeNs firstStamp; // if there is a clock
    std::string model; // named by the first row
    int gpusSeen = 0; // in the lines read
    int hostsSeen = 0;
    int highestIndex = -1; // in the GPU column if it holds numbers
    int confidence = 0; // as Importer::sniff
    std::vector<std::string> notes; // all that was inferred
    std::vector<std::string> warnings; // columns that are left out or cannot be told
};

// The stamp in a cell of that column.
inline std::optional<Stamp> stampOf(
    const Column& column, std::string_view cell, DateOrder dates = DateOrder::Unknown) {
    return column.nsPerUnit > 0 && cell.find(':') == std::string_view::npos
        ? parseStampIn(cell, column.nsPerUnit)
        : parseStamp(cell, dates);
}

// The stamp of a row by those columns; `Row`: cells in their order.
template <typename Row>
std::optional<Stamp> stampIn(const ColumnOrder& order, const Row& cells) {
    const std::string_view date = cells[static_cast<std::size_t>(order.stamp)];
    if (order.isTimeOfDay)
        return parseTimeOfDay(date);
    if (order.timeOfDay < 0)
        return stampOf(order.columns[static_cast<std::size_t>(order.stamp)], date, order.dates);
    return parseStamp(date, cells[static_cast<std::size_t>(order.timeOfDay)], order.dates);
}

// Merges the cells that decimal commas part; false where the row has none of them.
bool mergeDecimals(const ColumnOrder& order, const std::vector<std::string_view>& cells,
    std::vector<std::string>& merged);

// Unrecognised where the lines are no GPU log.
Result<ColumnOrder> readColumnOrder(const std::vector<std::string>& lines);

// The columns of that line when it is a header, else empty. For headers in mid-file. `width`: of
// the columns so far, where blanks part them.
std::vector<Column> headerColumns(std::string_view line, char separator, std::size_t width = 0);

// True where two headers name the same columns in the same order.
bool sameHeader(const std::vector<Column>& a, const std::vector<Column>& b);

// Sets stamp, host, name and uuid: the first column of each.
void findParts(ColumnOrder& order);

// Sets gpu, rhythm, clock and the counts of `order` from the first rows.
void settleIdentity(ColumnOrder& order, const std::vector<Cells>& rows);

// The columns of a log in a tree, and what people are told of them before it is read.

// From its first lines, and from all its dates where those do not tell whether the day or the month
// comes first. `said`: by the user, where nothing tells.
Result<ColumnOrder> orderOf(
    const SourceTree& tree, const std::string& path, DateOrder said = DateOrder::Unknown);
std::set<std::string> metricsOf(const ColumnOrder& order);
// GPUs of each node.
int gpusOfNode(const ColumnOrder& order);
// Its columns as they were understood, and the doubts.
void describe(ImportUnit& unit, const ColumnOrder& order);

} // namespace trainscope::importers::meters::smi
