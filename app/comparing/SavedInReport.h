#pragma once
// The comparisons that a database keeps, as a report is asked for them.

#include "core/report/Report.h"

namespace trainscope::app {

// Those of which two runs or more are there and all that are there are among the chosen; none
// chosen: all.
Result<std::vector<report::ComparisonRequest>> savedInReport(
    const store::Store& store, const std::vector<RunId>& chosen);

} // namespace trainscope::app
