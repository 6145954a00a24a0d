#pragma once
// Columns of a log without (complete) column names, from the cells: units, shapes and plausible
// ranges.

#include "importers/meters/Column.h"

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters::smi {

using Cells = std::vector<std::string>;

// The number of cells that most rows have; 0 without rows.
std::size_t commonWidth(const std::vector<Cells>& rows);

// Digits behind the point of a number; 0 without one.
int decimalPlaces(std::string_view cell);

// For a file without a header. Returns how sure it is that this is an nvidia-smi log (0: not).
int guessColumns(const std::vector<Cells>& rows, std::vector<Column>& columns);

// For a file with a header: forms and units that only the cells show, and columns that hold no
// numbers.
void settleForms(
    std::vector<Column>& columns, const std::vector<Cells>& rows, std::vector<std::string>& notes);

} // namespace trainscope::importers::meters::smi
