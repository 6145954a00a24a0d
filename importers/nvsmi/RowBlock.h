#pragma once
// The rows in one block of a log, by a layout. A pure function of both, so that blocks can be read
// at the same time; LogReader.h puts them in order and sees to all that is no row.

#include "importers/common/LineBlocks.h"
#include "importers/nvsmi/RowParser.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainscope::importers::nvsmi {

// Whom a row is about; few of them in any log.
struct RowIdentity {
    std::string host;
    std::string gpu; // empty: not named
    std::string model;
    std::string uuid;
};

struct BlockRow {
    std::int64_t line = 0; // in the block, from 1
    Stamp stamp;
    int identity = -1; // -1: this line is no row
    int note = -1; // of a bad cell, or of what the line is instead
};

struct RowNote {
    std::string text;
    std::string line; // of a line that is no row: the line
};

struct RowBlock {
    static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

    std::shared_ptr<const Layout> layout; // that it was read by
    std::shared_ptr<const LineBlock> source;
    std::vector<BlockRow> rows; // and other lines, without blank ones
    std::vector<RowIdentity> identities;
    std::vector<RowNote> notes;
    std::vector<double> numbers; // a column's width for each row; NaN: missing or not a number
    std::int64_t lines = 0;

    [[nodiscard]] std::span<const double> numbersOf(std::size_t row) const {
        const std::size_t width = layout->columns.size();
        return std::span(numbers).subspan(row * width, width);
    }
};

// From line `firstLine` on (from 1), where the ones before were read by another layout.
RowBlock readRows(std::shared_ptr<const LineBlock> block, std::shared_ptr<const Layout> layout,
    std::int64_t firstLine = 1);

} // namespace trainscope::importers::nvsmi
