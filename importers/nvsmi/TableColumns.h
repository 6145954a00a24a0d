#pragma once
// The columns that a drawn table amounts to.

#include "importers/nvsmi/Column.h"
#include "importers/nvsmi/SmiTable.h"

#include <vector>

namespace trainscope::importers::nvsmi {

std::vector<Column> tableColumns();
// In the same order; NaN where the table has nothing.
std::vector<double> tableNumbers(const TableGpu& gpu);

} // namespace trainscope::importers::nvsmi
