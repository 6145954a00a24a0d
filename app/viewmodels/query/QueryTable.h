#pragma once
// The rows of a query as a table. Nothing is copied: a cell is worded when it is shown.

#include "app/viewmodels/query/QueryRows.h"
#include "app/viewmodels/workspace/TableModel.h"

#include <memory>

namespace trainscope::app {

using QueryRowsPtr = std::shared_ptr<const QueryRows>;

// nullptr: nothing is known.
TableContent queryContent(const QueryRowsPtr& rows);

} // namespace trainscope::app
