#pragma once
// The rows of a table: one line as stamp, GPU and numbers, and all lines of one block, by its
// columns. Logs have gigabytes, so that blocks of them are read by several threads.

#include "importers/common/Cells.h"
#include "importers/common/FileLines.h"
#include "importers/meters/ColumnOrder.h"

namespace trainscope::importers::meters::smi {

// Columns that belong to one GPU: all of them, or in a wide file those of one GPU.
struct ColumnGroup {
    int gpu = -1; // -1: the GPU that the row names
    bool ofNode = false; // the node that the row names
    std::vector<std::size_t> columns;
};
std::vector<ColumnGroup> columnGroups(const std::vector<Column>& columns);

// Subject of a row; few of them in any table.
struct RowIdentity {
    std::string host;
    std::string gpu; // or another subject, as MeterReader.h reads it; empty: not named
    std::string model;
    std::string uuid;
    std::string address; // on the PCI bus
    std::string device; // a partition
    std::string part; // a process, a sensor; of a long table its field
    Column field = {}; // a long table's: the metric of that field
};

struct BlockRow {
    std::int64_t line = 0; // in the block, from 1
    Stamp stamp;
    int identity = -1; // -1: this line is no row
    int note = -1; // on a bad cell, or on a line that is no row
};

struct RowNote {
    std::string text;
    std::string line; // the text, for a line that is no row
};

// The rows in one block are a pure function of its text and the columns, so that blocks can be read
// at the same time; LogReader.h puts them in order and sees to all that is no row.
struct RowBlock {
    static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

    std::shared_ptr<const ColumnOrder> order; // it was read by this
    std::shared_ptr<const LineBlock> source;
    std::vector<BlockRow> rows; // and other lines, without blank ones
    std::vector<RowIdentity> identities;
    std::vector<RowNote> notes;
    std::vector<double> numbers; // a column's width for each row; NaN: missing or not a number
    std::int64_t lines = 0;

    [[nodiscard]] std::span<const double> numbersOf(std::size_t row) const {
        const std::size_t width = order->columns.size();
        return std::span(numbers).subspan(row * width, width);
    }
};

// From line `firstLine` on (from 1), where the ones before were read by another order.
RowBlock readRows(std::shared_ptr<const LineBlock> block, std::shared_ptr<const ColumnOrder> order,
    std::int64_t firstLine = 1);

} // namespace trainscope::importers::meters::smi
