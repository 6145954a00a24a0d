#pragma once
// The table of all runs: a row per run with its cells in words, numbers of a column in one unit,
// that of its largest. GUI thread.

#include "app/viewmodels/workspace/TableModel.h"
#include "core/report/RunColumns.h"

#include <cstddef>
#include <vector>

namespace trainscope::app {

// Content of the table: the columns and rows by their places in runColumns() and among the runs.
struct RunTableView {
    const std::vector<report::RunRecord>* runs = nullptr; // asked as long as the content is shown
    std::vector<std::size_t> columns;
    std::vector<std::size_t> rows;
    std::size_t sortColumn = 0;
    bool isDescending = false;
};
// Names are without what all runs share. No row is chosen yet.
TableContent runContent(const RunTableView& view);

} // namespace trainscope::app
